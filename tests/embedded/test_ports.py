import socket

import pytest

from accounting.embedded.errors import PortTakenError
from accounting.embedded.ports import page_answers, refuse_taken, site_address


def test_a_taken_port_is_named_with_the_way_out():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(PortTakenError, match=rf"port {port}.*TALLYBOOK_PORT"):
            refuse_taken("127.0.0.1", port)
    refuse_taken("127.0.0.1", port)


def test_no_page_answers_where_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert not page_answers("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", "http://127.0.0.1:8400"),
        ("0.0.0.0", "http://127.0.0.1:8400"),
        ("::", "http://[::1]:8400"),
        ("books.example", "http://books.example:8400"),
    ],
)
def test_the_site_address_is_one_a_browser_can_open(host, expected):
    assert site_address(host, 8400) == expected
