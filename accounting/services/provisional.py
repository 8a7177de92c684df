"""Which charges follow later prices: what was not known when a request was posted, and that alone.

Prices are entered one after another, often after the import. What was filled in by the first must
not keep the days of the second, so it stays provisional: until a repricing changes the request, or
its month is closed. A charge that was known when it was posted is changed by a repricing alone.
"""

from accounting.domain.tokens import TokenCounts
from accounting.services.columns import Charge
from accounting.services.comparing import is_changed

COST, BASE, CREDITS, CONVERSIONS = "cost", "cost_base", "credits", "conversions"
_PARTS = ("cost_input", "cost_cache_read", "cost_cache_write", "cost_output", "cost_other")
_CONVERTED = {
    (True, True): CONVERSIONS,
    (True, False): BASE,
    (False, True): CREDITS,
}


def followed(old: Charge, new: Charge, counts: TokenCounts) -> Charge | None:
    """What the charge of an event of an open month becomes by its newest prices; None: it stays.

    new: what the newest prices say of these counts. Where the cost was known when the request was
    posted, what it comes to in other currencies may follow, as long as the newest prices agree on the
    cost: one version must explain the whole.
    """
    if not is_changed(old, new):
        return None
    if old.filled_in == COST or _lacks_price(old, counts):
        return new._replace(filled_in=COST)
    base = old.cost_base is None or old.filled_in in {BASE, CONVERSIONS}
    credit = old.credits is None or old.filled_in in {CREDITS, CONVERSIONS}
    before = old._replace(
        cost_base=new.cost_base if base else old.cost_base,
        credits=new.credits if credit else old.credits,
    )
    if not is_changed(before, new):
        return new._replace(filled_in=_CONVERTED[base, credit])
    return new._replace(filled_in=old.filled_in) if fills_in(old, new) else None


def _lacks_price(old: Charge, counts: TokenCounts) -> bool:
    """Whether something had no price; what has one, but whose source told no count, does not."""
    return old.state == "unpriced" or (
        old.state == "partial"
        and (
            old.unpriced_tokens > 0
            or (counts.input_tokens is not None and counts.output_tokens is not None)
        )
    )


def knows_more(old: Charge, new: Charge) -> bool:
    """Whether an amount that was unknown, or a part of the cost, is known now."""
    return new.unpriced_tokens < old.unpriced_tokens or any(
        one is None and two is not None for one, two in zip(old, new, strict=True)
    )


def fills_in(old: Charge, new: Charge) -> bool:
    """Whether a charge knows more than another and changes nothing that was known.

    The rule for closed months, where nothing follows, and for requests with an untold count.
    """
    if new.cost is None:
        return False
    if old.cost is None:
        return True
    if (old.cost, old.currency) == (new.cost, new.currency):
        pairs = [(old.cost_base, new.cost_base), (old.credits, new.credits)]
        return all(one in {None, two} for one, two in pairs) and any(
            one is None and two is not None for one, two in pairs
        )
    return (
        old.state == "partial"
        and old.currency == new.currency
        and all(not (part := getattr(old, name)) or part == getattr(new, name) for name in _PARTS)
    )
