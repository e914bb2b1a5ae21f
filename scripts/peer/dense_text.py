"""Trains the model of `dense-text` in PyTorch on our batches from our initial parameters, and compares the losses.

Run with `python dense_text.py EXPORT RUN_DIRECTORY PLOT`: EXPORT from `export_batches`, RUN_DIRECTORY of our run of
the same recipe. Prints the largest relative differences and tokens per second of both; writes both curves to PLOT.
"""

import io
import json
import pathlib
import sys
import time

import matplotlib
import numpy as np
import torch
import zstandard
from safetensors import safe_open

from model import Model, learning_rate, losses

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

THREADS = 2
NAMES = ("loss", "lm_loss", "grad_norm")


def main(export: str, run: str, plot: str) -> None:
    torch.manual_seed(0)
    torch.set_num_threads(THREADS)
    file = safe_open(export, framework="pt")
    semantics = json.loads(file.metadata()["semantics"])
    values = {name: file.get_tensor(name) for name in file.keys()}
    parameters = {name.removeprefix("params/"): t for name, t in values.items() if name.startswith("params/")}
    print(f"PyTorch {torch.__version__}, {sum(t.numel() for t in parameters.values()):,} parameters")
    ours, our_seconds = read_run(pathlib.Path(run))
    peer, peer_seconds = train(semantics, parameters, values)
    for name in (*NAMES, "eval_lm_loss"):
        report(name, ours[name], peer[name])
    tokens = values["tokens"][0].numel()
    for name, pick in (("median", np.median), ("best", np.min)):
        mine, other = pick(our_seconds), pick(peer_seconds)
        print(f"{name} step: ours {tokens / mine:.0f} tokens/s, PyTorch {tokens / other:.0f}, ratio {other / mine:.2f}")
    draw(ours, peer, plot)


def train(semantics: dict, parameters: dict, values: dict) -> tuple[dict, list[float]]:
    """Every step's numbers and seconds."""
    model = Model(semantics, parameters)
    options, z_loss = semantics["optimizer"], semantics["model"]["z_loss"]
    # Weight decay is for matrices, not for norms.
    groups = [
        {"params": [p for p in model.values if p.ndim == 2], "weight_decay": options["weight_decay"]},
        {"params": [p for p in model.values if p.ndim == 1], "weight_decay": 0.0},
    ]
    betas = (options["beta1"], options["beta2"])
    optimizer = torch.optim.AdamW(groups, lr=1.0, betas=betas, eps=options["epsilon"], fused=True)
    averages = [p.detach().clone() for p in model.values]
    results, seconds = {name: {} for name in (*NAMES, "eval_lm_loss")}, []
    steps = len(values["tokens"])
    for step in range(steps):
        start = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(options["schedule"], step + 1)
        logits = model(values["tokens"][step], values["document_start"][step])
        lm, z = losses(logits, values["targets"][step])
        loss = lm + z_loss * z
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), options["clip"])
        optimizer.step()
        torch._foreach_lerp_(averages, [p.detach() for p in model.values], 1 - options["ema_decay"])
        seconds.append(time.perf_counter() - start)
        for name, value in zip(NAMES, (loss, lm, norm)):
            results[name][step] = value.item()
    with torch.no_grad():
        averaged = dict(zip(model.names, averages))
        logits = model(values["held_out.tokens"], values["held_out.document_start"], averaged)
        results["eval_lm_loss"][steps - 1] = losses(logits, values["held_out.targets"])[0].item()
    return results, seconds


def read_run(directory: pathlib.Path) -> tuple[dict, list[float]]:
    """The scalars of a trace by name and step, and the seconds of each step."""
    scalars: dict[str, dict[int, float]] = {}
    with open(directory / "rank-00000.jsonl.zst", "rb") as file:
        # A trace is one frame for each step.
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        for line in io.TextIOWrapper(reader, encoding="utf-8"):
            record = json.loads(line)
            if record["kind"] == "scalar":
                bits = np.array([int(record["bits"], 16)], dtype=np.uint32)
                scalars.setdefault(record["name"], {})[record["step"]] = float(bits.view(np.float32)[0])
    lines = (directory / "timing-00000.jsonl").read_text().splitlines()
    return scalars, [json.loads(line)["seconds"] for line in lines]


def report(name: str, ours: dict, peer: dict) -> None:
    common = sorted(ours.keys() & peer.keys())
    assert common, f"no step has a `{name}` on both sides"
    differences = [abs(ours[step] - peer[step]) / abs(peer[step]) for step in common]
    last = common[-1]
    print(f"{name:12} {len(common):3} steps, step {last}: ours {ours[last]:.6f}, PyTorch {peer[last]:.6f}; "
          f"relative difference: first {differences[0]:.1e}, largest {max(differences):.1e}")


def draw(ours: dict, peer: dict, path: str) -> None:
    plt.rcParams["svg.fonttype"] = "none"
    figure, (curves, difference) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    steps = sorted(ours["loss"].keys() & peer["loss"].keys())
    curves.plot(steps, [peer["loss"][step] for step in steps], color="0.6", linewidth=4, label="PyTorch")
    curves.plot(steps, [ours["loss"][step] for step in steps], color="C3", linewidth=1, label="lockstep")
    curves.set(xlabel="step", ylabel="loss (nats)", title="training loss, same batches and initial values")
    curves.legend()
    relative = [abs(ours["loss"][step] / peer["loss"][step] - 1) for step in steps]
    difference.semilogy(steps, np.maximum(relative, 1e-9), ".", color="C0")
    difference.set(xlabel="step", title="relative difference")
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
