"""docs/sending.md: no snippet on it that no test executes."""

from collections import Counter

from tests.exporters.snippets import ADDRESS, KEY, snippets

#: Heading -> its snippets, each of which a test beside this one executes.
EXECUTED = {
    "curl": 2,
    "LiteLLM": 2,
    "OpenTelemetry": 3,
    "Files, once": 1,
    "Files as they grow": 2,
}


def test_every_snippet_of_the_page_is_executed_by_a_test():
    assert Counter(one.heading for one in snippets()) == EXECUTED


def test_a_snippet_names_no_other_server_and_key_than_those_that_are_put_in():
    for one in snippets():
        text = one.filled(address="", key="")
        assert "://" not in text, one.text
        assert ADDRESS not in text
        assert KEY not in text
