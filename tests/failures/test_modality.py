"""Text, pictures and sound have prices of their own, and no token has two of them."""

import pytest

from tests.failures.logs import Case, chat, check, event


def answered(text, image):
    body = chat("prism", output=text + image)
    details = {"text_tokens": text, "image_tokens": image}
    body["usage"]["completion_tokens_details"] = details
    return body


CASES = [
    Case(
        id="B263 the text beside a picture is text",
        format="openai_chat",
        log=[answered(300, 6_000)],
        cost="0.183",
        totals=(1, 0, None, None, 6_300),
    ),
    Case(
        id="B265 sound without a price of its own has that of the input",
        format="openai_chat",
        log=[chat("flint", prompt=1_000, audio_tokens=400)],
        cost="0.0025",
        totals=(1, 1_000, None, None, 0),
    ),
    Case(
        id="B266 a cached picture is cached and not a picture too",
        format="native",
        log=[
            event(
                "prism",
                input_tokens=24_600,
                cache_read_input_tokens=24_500,
                input_image_tokens=22_000,
                output_tokens=3_000,
                other_units={"input.cache_read.image": 22_000},
            )
        ],
        cost="0.061125",
        totals=(1, 24_600, 24_500, None, 3_000),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_each_kind_has_its_price(case):
    check(case)
