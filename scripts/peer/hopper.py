"""Compares products of the tensor-core model with those of a GPU, bit for bit.

Run with `python hopper.py FILE` on a machine with an H100 or H200; FILE from the example `hopper-products`. cuBLAS gets
no workspace, so that it cannot split K; with one it does where M and N are small, and adds in another order.
"""

import os
import sys

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":0:0")

import numpy as np  # noqa: E402
import torch  # noqa: E402


def main(path: str) -> None:
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cuda.preferred_blas_library("cublas")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}")
    data = np.fromfile(path, dtype=np.uint8)
    at, products, equal = 0, 0, 0
    while at < data.size:
        m, n, k, regime = (int(word) for word in data[at : at + 16].view(np.uint32))
        at += 16
        sizes = [2 * m * k, 2 * n * k, 4 * m * n]
        a, b, d = (data[at + sum(sizes[:i]) : at + sum(sizes[: i + 1])] for i in range(3))
        at += sum(sizes)
        left, right = (
            torch.from_numpy(x.view(np.int16).copy()).view(torch.bfloat16).reshape(-1, k).cuda() for x in (a, b)
        )
        found = torch.mm(left, right.t(), out_dtype=torch.float32).cpu().numpy().view(np.uint32).ravel()
        expected = d.view(np.uint32)
        differ = int(np.count_nonzero(found != expected))
        products, equal = products + 1, equal + (differ == 0)
        print(f"{m:5} x {n:5} x {k:5} regime {regime}: {differ} of {m * n} elements differ")
    print(f"{equal} of {products} products are equal in every bit")
    sys.exit(equal != products)


if __name__ == "__main__":
    main(*sys.argv[1:])
