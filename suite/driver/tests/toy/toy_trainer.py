"""A whole trainer under the suite's contract, in the standard library alone: linear regression on seeded integers by
SGD with momentum and dropout, two epochs. Exit code 3 means that a checkpoint could not be written or read."""
import errno, hashlib, json, os, shutil, socket, struct, sys, threading, time

WIDTH, ROWS, STEPS, P = 6, 10, 10, 2**61 - 1
PHASES = ["data", "forward", "optimizer"]
RECIPE_DIGEST = hashlib.sha256(repr((WIDTH, ROWS, STEPS, PHASES)).encode()).hexdigest()
ERRORS = {"enospc": errno.ENOSPC, "eio": errno.EIO, "erofs": errno.EROFS, "short_write": errno.ENOSPC}


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def fingerprint(data):
    words = struct.unpack(f"<{len(data) // 4}I", data)
    coefficient = lambda x: 1 + (mix(x) >> 3) % (P - 1)
    lane = lambda l: sum(coefficient(2 * (j // 256) + l) * coefficient(2**63 + 2 * (j % 256) + l) * word
                         for j, word in enumerate(words)) % P
    return f"{lane(0):016x}{lane(1):016x}"


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def put(path, text):
    # Closed here, so that an error of the last write is an error and not lost with the garbage.
    with open(path, "w") as file:
        file.write(text)


def sync(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


class Trace:
    """Records of rank 0: one zstd frame a step, made of raw blocks."""
    def __init__(self, directory):
        self.files = [open(os.path.join(directory, "rank-00000." + end), "xb", buffering=0) for end in ("jsonl.zst", "index.jsonl")]
        self.lines, self.seq, self.first, self.offset = [], 0, 0, 0

    def record(self, step, phase, **body):
        self.lines.append(json.dumps({"seq": self.seq, "step": step, "phase": phase, **body}) + "\n")
        self.seq += 1

    def state(self, step, phase, state):
        for leaf, code, values in (("params/w", "f", state["w"]), ("optimizer/momentum", "f", state["m"]), ("rng/dropout", "Q", [state["rng"]]),
                                   ("data/position", "Q", state["order"]), ("fingerprints/loss", "Q", [state["history"]])):
            data = struct.pack(f"<{len(values)}{code}", *values)
            self.record(step, phase, kind="state", leaf=leaf, dtype={"f": "f32", "Q": "u64"}[code], shape=[len(values)],
                        fingerprint=fingerprint(data))
        self.end_step(step)

    def end_step(self, step):
        text = "".join(self.lines).encode()
        stored, blocks = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(text)), range(0, len(text), 1 << 17)
        for at in blocks:
            block = text[at:at + (1 << 17)]
            stored += ((at == blocks[-1]) | len(block) << 3).to_bytes(3, "little") + block
        digest = lambda data: "sha256:" + hashlib.sha256(data).hexdigest()
        entry = {"schema": 1, "step": step, "first_seq": self.first, "records": self.seq - self.first, "offset": self.offset,
                 "stored_bytes": len(stored), "stored_digest": digest(stored), "digest": digest(text)}
        self.files[0].write(stored)
        self.files[1].write(json.dumps(entry).encode() + b"\n")
        self.lines, self.first, self.offset = [], self.seq, self.offset + len(stored)


class Control:
    def __init__(self, path):
        self.file = None
        if path:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(path)
            self.file = connection.makefile("rw")

    def say(self, wait=True, **point):
        if self.file:
            self.file.write(json.dumps({"rank": 0, "wait": wait, "point": point}) + "\n")
            self.file.flush()
            if wait and self.file.readline() != "go\n":
                os._exit(1)


class Saver:
    """Writes checkpoints, at once or on a thread; each operation can be announced and can be made to fail."""
    def __init__(self, request):
        self.root, self.request = request["checkpoint_directory"], request
        self.asynchronous = request["set"].get("checkpoint.asynchronous", False)
        self.fail, self.operations, self.thread, self.error = request["storage"]["fail"], 0, None, None
        self.control = Control(request["control_socket"])

    def operation(self, name, path, act):
        self.control.say(at="storage", save=self.step, ordinal=self.ordinal, operation=name, path=os.path.basename(path),
                         asynchronous=self.asynchronous)
        if self.fail and self.fail["ordinal"] == self.operations:
            raise OSError(ERRORS[self.fail["error"]], "injected", path)
        self.ordinal, self.operations = self.ordinal + 1, self.operations + 1
        act()

    def write(self, path, text):
        self.operation("write", path, lambda: put(path, text))
        self.sync(path)

    def sync(self, path):
        self.operation("fsync", path, lambda: sync(path))

    def save_now(self, step, text):
        self.step, self.ordinal, name = step, 0, f"step-{step}"
        partial, final = os.path.join(self.root, "partial"), os.path.join(self.root, name)
        shutil.rmtree(partial, ignore_errors=True)
        self.operation("mkdir", partial, lambda: os.mkdir(partial))
        self.write(os.path.join(partial, "state.json"), text)
        manifest = json.dumps({"step": step, "state.json": hashlib.sha256(text.encode()).hexdigest()})
        self.write(os.path.join(partial, "manifest.json"), manifest)
        self.sync(partial)
        shutil.rmtree(final, ignore_errors=True)
        self.operation("rename", final, lambda: os.rename(partial, final))
        self.sync(self.root)
        digest, latest = "sha256:" + hashlib.sha256(manifest.encode()).hexdigest(), os.path.join(self.root, "latest.json")
        self.write(latest + ".new", json.dumps({"schema": 1, "step": step, "directory": name, "manifest_digest": digest}))
        self.operation("rename", latest, lambda: os.rename(latest + ".new", latest))
        self.sync(self.root)
        self.control.say(wait=False, at="committed", step=step, manifest_digest=digest)
        for old in sorted(os.listdir(self.root)):
            if old.startswith("step-") and int(old[5:]) < step - 1:
                self.operation("remove", old, lambda: shutil.rmtree(os.path.join(self.root, old)))

    def save(self, step, text):
        self.wait()
        if not self.asynchronous:
            return self.save_now(step, text)
        def work():
            try:
                self.save_now(step, text)
            except OSError as error:
                self.error = error
        self.thread = threading.Thread(target=work)
        self.thread.start()

    def wait(self):
        if self.thread:
            self.thread.join()
        if self.error:
            raise self.error


def load(root):
    pointer = json.load(open(os.path.join(root, "latest.json")))
    read = lambda name: open(os.path.join(root, pointer["directory"], name)).read()
    manifest, text = read("manifest.json"), read("state.json")
    if "sha256:" + hashlib.sha256(manifest.encode()).hexdigest() != pointer["manifest_digest"] or \
            json.loads(manifest)["state.json"] != hashlib.sha256(text.encode()).hexdigest():
        raise OSError(errno.EIO, "the checkpoint is torn or altered", pointer["directory"])
    return pointer, json.loads(text)


def train(request, resume):
    run, every, stop = request["run_directory"], request["set"].get("checkpoint.every", 0), request["stop_after"]
    leave = lambda name, value: put(os.path.join(run, name), json.dumps(value))
    leave("run.json", {"schema": 1, "nonce": request["nonce"], "pid": os.getpid(), "started_ns": time.time_ns(),
                       "binary_digest": "sha256:" + hashlib.sha256(open(__file__, "rb").read()).hexdigest(), "recipe": request["recipe"],
                       "recipe_digest": RECIPE_DIGEST, "part": request["part"], "ranks": 1})
    control, trace, saver, overlapped, saves = Control(request["control_socket"]), Trace(run), Saver(request), 0, 0
    state = {"step": 0, "w": [0.0] * WIDTH, "m": [0.0] * WIDTH, "rng": 1, "order": [0, 0], "history": 0}
    if resume:
        pointer, state = load(request["checkpoint_directory"])
        leave("loaded.json", pointer)
        trace.state(pointer["step"] - 1, "restored", state)
        control.say(at="loaded", step=pointer["step"], manifest_digest=pointer["manifest_digest"])
    last = STEPS if stop is None else min(stop + 1, STEPS)
    for step in range(state["step"], last):
        overlapped += bool(saver.thread and saver.thread.is_alive())
        control.say(at="phase", step=step, phase="data")
        row = (mix(1000 + step // ROWS * 7) + 3 * step) % ROWS
        x = [mix(row * WIDTH + i) % 17 - 8 for i in range(WIDTH)]
        control.say(at="phase", step=step, phase="forward")
        kept = [value if mix(state["rng"] + i) % 8 else 0 for i, value in enumerate(x)]
        state["rng"] = mix(state["rng"])
        error = f32(sum(a * b for a, b in zip(kept, state["w"])) - sum((i + 1) * a for i, a in enumerate(x)))
        trace.record(step, "forward", kind="scalar", name="loss", bits=struct.pack(">f", error * error).hex())
        control.say(at="phase", step=step, phase="optimizer")
        state["m"] = [f32(0.5 * m + error * a / 64) for m, a in zip(state["m"], kept)]
        state["w"] = [f32(w - 0.125 * m) for w, m in zip(state["w"], state["m"])]
        state["step"], state["order"] = step + 1, [row, step + 1]
        state["history"] = mix(state["history"] ^ struct.unpack("<I", struct.pack("<f", error))[0])
        trace.state(step, "state", state)
        control.say(at="step_end", step=step)
        if request["checkpoint_directory"] and (every and (step + 1) % every == 0 or step + 1 == STEPS):
            saver.save(step + 1, json.dumps(state))
            saves += 1
    saver.wait()
    leave("counters.json", {"schema": 1, "counters": {"steps_during_saves": overlapped, "saves": saves}})
    os.mkdir(os.path.join(run, "final"))
    leave("final/state.json", state)
    trace.record(last, "end", kind="end", steps=last)
    trace.end_step(last)


def main(command, argument=None):
    if command == "recipes":
        return print("toy")
    if command == "verify":
        return print(json.dumps(load(argument)[0]))
    if command in ("train", "resume"):
        return train(json.load(open(argument)), command == "resume")
    if argument != "toy":
        sys.exit(f"recipe `{argument}` is not known; there is `toy`")
    part = {"part": "end_to_end", "claims": ["repeat", "resume"], "steps": STEPS, "stateful": True, "contracts": [], "alternatives": []}
    print("\n".join(PHASES) if command == "plan" else json.dumps({
        "schema": 1, "recipe": "toy", "about": "Linear regression on seeded integers.", "recipe_digest": RECIPE_DIGEST, "parts": [part],
        "sections": ["params", "optimizer", "rng", "data", "fingerprints"], "phases": PHASES, "checkpoint_bytes": 1024, "step_macs": 2 * WIDTH}))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit(print(f"storage: {error}", file=sys.stderr) or 3)
