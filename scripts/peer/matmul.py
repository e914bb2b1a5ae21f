"""Speed of PyTorch's fp32 matrix product on the CPU: the peer of `matmul_throughput`.

Run with `python matmul.py`. Prints GFLOP/s of square products on one thread and on two; each figure is the best of
several repetitions. Outputs are allocated before the clock starts, as on our side.
"""

import time

import torch

SIZES = [64, 256, 512, 1024]
THREADS = [1, 2]


def gflops(size: int) -> float:
    a, b, out = (torch.randn(size, size) for _ in range(3))
    repetitions = min(2000, max(20, 2**31 // size**3))
    best = float("inf")
    for _ in range(repetitions):
        start = time.perf_counter()
        # y = x·wᵀ, the layout of a linear layer.
        torch.matmul(a, b.T, out=out)
        best = min(best, time.perf_counter() - start)
    return 2 * size**3 / best / 1e9


def main() -> None:
    print(f"PyTorch {torch.__version__}, fp32, GFLOP/s")
    for threads in THREADS:
        torch.set_num_threads(threads)
        for size in SIZES:
            print(f"{threads} threads {size:5}^3 {gflops(size):7.1f}")


if __name__ == "__main__":
    main()
