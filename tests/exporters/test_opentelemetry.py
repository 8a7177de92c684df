"""The real exporter of OpenTelemetry's Python SDK, as docs/sending.md prints it."""

import pytest

from tests.exporters.snippets import snippets

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("number", "name", "response_id", "expected"),
    [
        (1, "spans.py", "chatcmpl-span-1", (1200, 1000, 80, "0.00255", "USD")),
        (2, "logs.py", "chatcmpl-log-1", (700, None, 50, "0.00225", "USD")),
    ],
)
def test_what_it_sends_is_counted_once_and_priced(
    tallybook, run, tmp_path, number, name, response_id, expected
):
    snippet = snippets("OpenTelemetry")[number]
    assert snippet.name == name
    (tmp_path / name).write_text(tallybook.filled(snippet))
    for _ in range(2):  # as an exporter that did not hear the answer
        run("OpenTelemetry", 0, after=f"python {name}")
    assert tallybook.booked(response_id) == [expected]
