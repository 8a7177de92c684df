"""The price table of the failure cases: USD per million tokens, from the beginning of 2026."""

from tests.books import rate, rate_book, shelf

#: Input, cache read, cache write kept 5 minutes and 1 hour, output.
OPAL = {
    "input": "3",
    "input.cache_read": "0.3",
    "input.cache_write": "3.75",
    "input.cache_write.1h": "6",
    "output": "15",
}
FLINT = {"input": "2.5", "input.cache_read": "1.25", "output": "10"}
FLINT_MINI = {"input": "0.15", "input.cache_read": "0.075", "output": "0.6"}
RIVER = {"input": "1.25", "input.cache_read": "0.125", "output": "10"}
#: The whole request, once its input is more than 200,000 tokens.
RIVER_LONG = {"input": "2.5", "input.cache_read": "0.25", "output": "15"}
#: A cached token is priced as cached, whatever it shows.
PRISM = {
    "input": "5",
    "input.cache_read": "1.25",
    "input.cache_read.image": "1.25",
    "input.image": "8",
    "input.audio": "32",
    "output": "10",
    "output.image": "30",
    "output.audio": "64",
}
GIFT = {"input": "0", "output": "0"}


def rows(model, prices, **more):
    """The rates of one model, of whatever provider."""
    return [rate(unit, price, model=model, provider="", **more) for unit, price in prices.items()]


ROWS = [
    *rows("opal", OPAL),
    *rows("flint", FLINT),
    *rows("flint-mini", FLINT_MINI),
    *rows("river", RIVER),
    *rows("river", RIVER_LONG, input_gt=200_000),
    *rows("prism", PRISM),
    *rows("gift", GIFT),
]
BOOK = rate_book(shelves=[shelf(*ROWS, currency="USD")], currency="USD")
