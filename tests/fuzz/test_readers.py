"""Whatever happens to a log, a reader gives documented outcomes and keeps nothing in memory."""

import gc
import subprocess
import sys
import tracemalloc
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutations import mutated
from tests.fuzz.readers import DETECTION, NAMES, run, seeds

PROJECT = Path(__file__).parents[2]
few = settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("name", [DETECTION, *NAMES])
@few
@given(choices=st.data())
def test_a_spoilt_sample_gives_documented_outcomes(name, choices):
    body = choices.draw(st.sampled_from(seeds(name)))
    run(name, mutated(body, Random(choices.draw(st.integers(0, 2**32)))))


@pytest.mark.parametrize("name", NAMES)
def test_any_bytes_give_documented_outcomes(name):
    for body in (
        b"",
        b"\0",
        b"[",
        b"{",
        b'{"a":',
        b"[{}]",
        b"a,b\n1",
        b"data: {}\n\n",
        b"\xff\xfe",
    ):
        run(name, body)


@pytest.mark.slow
def test_memory_stays_flat_over_all_readers():
    random = Random(1)
    tries = [
        (name, mutated(random.choice(seeds(name))[:20_000], random))
        for name in NAMES
        for _ in range(3)
    ]

    def read_all():
        for name, body in tries:
            run(name, body)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    read_all()
    before = read_all()
    after = [read_all() for _ in range(3)][-1]
    tracemalloc.stop()
    assert after - before < 200_000


@pytest.mark.slow
def test_every_reader_stands_two_seconds_of_fuzzing(tmp_path):
    command = [sys.executable, "-m", "tests.fuzz.run", "--seconds", "2", "--seed", "1"]
    done = subprocess.run(
        [*command, "--keep", str(tmp_path)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    logs = [
        path.read_text()[-3_000:] for path in tmp_path.glob("*.log") if "stood" not in path.name
    ]
    failed = [line for line in done.stdout.splitlines() if line.endswith("failed")]
    assert not failed, "\n".join([*failed, *(log for log in logs if "Uncaught" in log)])
    assert done.returncode == 0, done.stderr[-2_000:]
