"""Fuzzes the readers: `python -m tests.fuzz.run [FORMAT …] [--seconds 60]`, two at a time.

Guided by coverage where atheris is installed (Linux on x86-64), else by chance. What a reader does
not stand is kept in the folder --keep, one file each; exit code 1 when there is any.
"""

import argparse
import contextlib
import os
import sys
import tempfile
import time
import traceback
from hashlib import sha256
from pathlib import Path
from random import Random

try:
    import atheris
except ImportError:
    atheris = None

guided = (
    atheris.instrument_imports(include=["ingest.formats", "accounting.domain"])
    if atheris
    else contextlib.nullcontext()
)
with guided:
    from tests.fuzz.mutations import mutated
    from tests.fuzz.readers import DETECTION, NAMES, run, seeds

LONGEST = 64_000
MEMORY_MB = 600


def main() -> int:
    """Fuzzes each format in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("formats", nargs="*", default=[DETECTION, *NAMES], metavar="FORMAT")
    seconds = float(os.environ.get("FUZZ_SECONDS", "60"))
    parser.add_argument("--seconds", type=float, default=seconds, help="for each format")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"))
    asked = parser.parse_args()
    waiting, running, failed = list(asked.formats), {}, []
    while waiting or running:
        while waiting and len(running) < 2:
            name = waiting.pop(0)
            running[fork(name, asked.seconds, asked.seed, asked.keep)] = name
        child, status = os.wait()
        name = running.pop(child)
        if status:
            failed.append(name)
        print(f"{name}: {'failed' if status else 'stood'}", flush=True)
    print(f"{len(asked.formats) - len(failed)} of {len(asked.formats)}, seed {asked.seed}")
    return bool(failed)


def fork(name: str, seconds: float, seed: int, keep: Path) -> int:
    """A child that fuzzes one format and then exits; its id."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        fuzz = by_coverage if atheris else by_chance
        status = fuzz(name, seconds, seed, keep)
    except BaseException:  # noqa: BLE001  a child ends here, whatever happened
        traceback.print_exc()
    finally:
        os._exit(status)


def by_coverage(name: str, seconds: float, seed: int, keep: Path) -> int:
    """libFuzzer keeps what reaches new code; it ends the process itself, with 1 on a finding."""
    keep.mkdir(exist_ok=True)
    corpus = Path(tempfile.mkdtemp(prefix="tallybook-fuzz-"))
    for number, body in enumerate(seeds(name)):
        (corpus / str(number)).write_bytes(body)
    log = os.open(keep / f"{name}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)

    def mutator(body: bytes, longest: int, chance: int) -> bytes:
        random = Random(chance)
        if random.random() < 0.3:
            return atheris.Mutate(body, longest)
        return mutated(body, random)[:longest]

    options = {
        "max_total_time": int(seconds),
        "seed": seed % 2**31 or 1,
        "max_len": LONGEST,
        "timeout": 10,
        "rss_limit_mb": MEMORY_MB,
        "artifact_prefix": f"{keep}/{name}-",
        "print_final_stats": 1,
    }
    arguments = [f"-{option}={value}" for option, value in options.items()]
    atheris.Setup(
        [sys.argv[0], *arguments, str(corpus)],
        lambda body: run(name, body),
        custom_mutator=mutator,
    )
    atheris.Fuzz()
    return 0


def by_chance(name: str, seconds: float, seed: int, keep: Path) -> int:
    """Spoils the samples at random until the time is over."""
    random = Random(f"{name} {seed}")
    bodies = seeds(name)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        body = mutated(random.choice(bodies), random)[:LONGEST]
        try:
            run(name, body)
        except Exception:  # noqa: BLE001  any exception is a finding
            keep.mkdir(exist_ok=True)
            (keep / f"{name}-{sha256(body).hexdigest()[:12]}").write_bytes(body)
            traceback.print_exc()
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
