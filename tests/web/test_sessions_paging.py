"""Paging through sessions by cursor."""

import re
from datetime import timedelta

import pytest

from accounting.web.cursors import cursor_key, cursor_text
from tests.factories import SessionTotalFactory


@pytest.mark.parametrize("order", ["-started", "started", "-input", "ratio", "-cost"])
def test_following_next_shows_every_session_once(page, organization, hour, order):
    for number in range(61):
        SessionTotalFactory(
            organization=organization,
            session_id=f"s-{number:02}",
            started_at=hour - timedelta(seconds=number // 2),
            input_tokens=1000 + number // 3,
            output_tokens=10,
        )
    seen, address = [], f"/sessions/?range=30d&order={order}"
    while address:
        text = page.get(address).content.decode()
        seen += re.findall(r"<code>(s-\d\d)</code>", text)
        found = re.search(r'href="([^"]+)" rel="next"', text)
        address = "/sessions/" + found[1].replace("&amp;", "&") if found else ""
    assert sorted(seen) == [f"s-{number:02}" for number in range(61)]


def test_a_cursor_survives_a_session_id_with_its_own_mark(hour):
    key = (hour, "a~b&c")
    assert cursor_key(cursor_text(key), "-started") == key
