"""What can be wrong with a count, an amount, a moment or a record, each with a stable code."""


class DomainError(ValueError):
    """Something a person or program gave us cannot stand in the books.

    code: a stable snake_case word for programs; the message is for people.
    """

    code = "invalid"


class BadCountError(DomainError):
    """A token count is negative, too large, not whole, or contradicts another count."""

    code = "bad_count"


class BadAmountError(DomainError):
    """A text is no amount of money, or an amount is out of the range the books hold."""

    code = "amount_out_of_range"


class BadMomentError(DomainError):
    """A moment lies outside the years the books cover, or has no time zone."""

    code = "bad_time"


class BadRateError(DomainError):
    """A price row contradicts itself or another row."""

    code = "bad_rate"
