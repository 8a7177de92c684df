"""Azure API Management's LLM log."""

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, refused, skipped, totals

SAMPLE = "azure_apim/llm_log.json"


def test_rows_that_go_on_with_a_long_body_count_nothing():
    outcomes = read_sample(SAMPLE)
    assert totals(Books.of(outcomes)) == (1, 900, None, None, 70, None)
    assert skipped(outcomes) == [2]


def test_a_deployment_is_what_was_asked_for_and_the_model_what_answered():
    use = the(SAMPLE, "c-1").use
    assert (use.request_model, use.response_model) == ("shop-prod", "gpt-5.2")
    assert (use.provider, use.region, use.is_stream) == ("azure", "", True)


def test_a_row_without_correlation_is_rejected():
    assert refused(read_sample(SAMPLE)) == [(3, "missing_field")]
