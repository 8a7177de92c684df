"""The real LiteLLM proxy with its generic callback, configured as docs/sending.md prints it.

It runs in an environment of its own, which `make .venv-litellm/ready` makes once. The model is the page's
own for trying it out, which LiteLLM answers itself, so that nothing leaves the machine.
"""

import json
import subprocess
import urllib.request

import pytest

from tests.chaos.processes import Process, free_port, wait_until
from tests.exporters.snippets import ROOT, snippets
from tests.prepared import own_folder

pytestmark = pytest.mark.slow

PROGRAM = ROOT / ".venv-litellm" / "bin" / "litellm"
#: LiteLLM's words and numbers for a mocked answer: 10 tokens in, 20 out.
MOCKED = (10, 20)
MASTER_KEY = "sk-only-for-tests-0123456789abcdef"

#: It would ask a public server for its price list and report its use; without a key it does not start.
OFFLINE = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "OPENAI_API_KEY": "not-asked",
    "LITELLM_MASTER_KEY": MASTER_KEY,
    "LITELLM_TELEMETRY": "False",
}


@pytest.fixture(scope="module")
def program():
    done = subprocess.run(
        ["make", "--no-print-directory", ".venv-litellm/ready"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode or not PROGRAM.exists():
        pytest.fail(f"there is no LiteLLM to test with:\n{done.stdout}{done.stderr}")
    return PROGRAM


@pytest.fixture(scope="module")
def proxy(tallybook, program):
    """The address of a running proxy; the port is its own, the rest is as printed."""
    config, command = snippets("LiteLLM")
    port = free_port()
    with own_folder() as folder:
        (folder / config.name).write_text(tallybook.filled(config))
        words = command.text.replace("litellm.yaml", str(folder / config.name)).split()
        assert words[0] == "litellm"
        words[0], words[words.index("--port") + 1] = program, str(port)
        running = Process(
            "litellm",
            words,
            environment={"HOME": str(folder), "PATH": "/usr/bin:/bin", **OFFLINE},
            log=folder / "litellm.log",
            port=port,
        )
        try:
            running.start()
            wait_until(lambda: answers(port) or not running.is_running(), seconds=400)
            assert running.is_running(), (folder / "litellm.log").read_text()
            yield f"http://127.0.0.1:{port}"
        except BaseException:
            print((folder / "litellm.log").read_text()[-4000:])
            raise
        finally:
            running.kill()


def answers(port):
    try:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}/health/liveliness", timeout=5
        ) as answer:
            return answer.status == 200
    except OSError:
        return False


def ask(proxy):
    """One chat completion; its answer."""
    asked = {
        "model": "try-out",
        "messages": [{"role": "user", "content": "How many tokens is this?"}],
    }
    request = urllib.request.Request(
        f"{proxy}/v1/chat/completions",
        json.dumps(asked).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {MASTER_KEY}"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def test_calls_through_the_proxy_are_in_the_books_once_with_their_tokens_and_cost(tallybook, proxy):
    of_the_proxy = "SELECT count(*) FROM accounting_usageevent WHERE source = 'litellm_payload'"
    wait_until(tallybook.is_read, what="the inbox")
    before = tallybook.rig.value(of_the_proxy)
    answers = [json.loads(ask(proxy)) for _ in range(2)]
    for told in answers:
        usage = told["usage"]
        assert (usage["prompt_tokens"], usage["completion_tokens"]) == MOCKED
        # 10 × 2.50 + 20 × 10 dollars a million
        assert tallybook.booked(told["id"]) == [(10, None, 20, "0.000225", "USD")]
    assert tallybook.rig.value(of_the_proxy) == before + 2


def test_what_was_asked_and_answered_is_kept_nowhere(tallybook, proxy):
    tallybook.booked(json.loads(ask(proxy))["id"])
    wait_until(tallybook.is_read, what="the inbox")
    kept = "SELECT count(*) FROM ingest_inboxchunk WHERE state = 'done' AND body <> ''"
    assert tallybook.rig.value(kept) == 0
