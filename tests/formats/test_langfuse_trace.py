"""A downloaded trace of Langfuse's."""

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, skipped, totals

SAMPLE = "langfuse_trace/agent.trace.json"


def test_an_agents_own_counts_repeat_those_of_its_calls():
    outcomes = read_sample(SAMPLE)
    assert totals(Books.of(outcomes)) == (2, 312, None, None, 478, 288)
    assert skipped(outcomes) == [1]


def test_tokens_that_only_the_total_of_gemini_knows_are_thoughts():
    told = the(SAMPLE, "aa00000000000003")
    assert (told.use.counts.output_tokens, told.use.counts.reasoning_output_tokens) == (388, 288)
    assert told.use.provider == "google"
    assert told.use.model.endswith("/publishers/google/models/gemini-2.5-flash")


def test_the_trace_says_whose_its_observations_are():
    place = the(SAMPLE, "aa00000000000002").place
    assert (place.session_id, place.user_id, place.environment) == ("s-1", "mia", "prod")
    assert place.tags == (("beta", ""), ("feature", "search"))


def test_observations_are_keyed_like_the_spans_they_were():
    identity = the(SAMPLE, "aa00000000000002").identity
    assert identity.trace_id == "7c4f2b0e5d6a41c8a1b2c3d4e5f60718"
    assert identity.span_id == "aa00000000000002"
