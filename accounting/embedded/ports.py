"""Whether the web server can have its port, and whether it answers there."""

import http.client
import socket

from accounting.embedded.errors import PortTakenError

ANSWER_TIMEOUT_S = 2.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  compared, not listened on


def refuse_taken(host: str, port: int) -> None:
    """Raise PortTakenError when nobody can listen there just now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener:
        # As the web server does, so that connections of a minute ago don't count.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen(1)
        except OSError as error:
            raise PortTakenError(
                f"can't listen on {host} port {port}: {error.strerror};"
                " stop the program that uses it, or choose another by TALLYBOOK_PORT"
            ) from error


def page_answers(host: str, port: int, path: str = "/") -> bool:
    """Whether a page comes back that is no server error."""
    connection = http.client.HTTPConnection(reachable(host), port, timeout=ANSWER_TIMEOUT_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def site_address(host: str, port: int) -> str:
    """The address a person opens, without a path."""
    shown = reachable(host)
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def reachable(host: str) -> str:
    """The host to connect to, for a server that listens on this one."""
    return EVERYWHERE.get(host, host)
