"""How a page that watches something asks again by itself: once a second at first, slower later."""

from django.http import HttpRequest

SLOWEST_S = 5


def pause_s(polls: int) -> int:
    """Seconds to the next look after so many: one at first, five in the end."""
    return min(1 + polls // 5, SLOWEST_S)


def polling(request: HttpRequest) -> dict[str, object]:
    """What a watching fragment needs: its count of looks, the pause, and what was spoken last."""
    polls = number(request, "poll")
    return {
        "polls": polls + 1,
        "pause": pause_s(polls),
        "said": number(request, "said"),
        "is_poll": bool(request.headers.get("HX-Request")),
    }


def number(request: HttpRequest, name: str) -> int:
    """A small whole number of the address, 0 for anything else."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0
