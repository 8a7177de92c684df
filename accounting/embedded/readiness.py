"""Whether a PostgreSQL server answers, asked with the first packet of its protocol.

https://www.postgresql.org/docs/current/protocol-flow.html, start-up.
"""

import socket
import struct
from enum import Enum
from pathlib import Path

from accounting.embedded.folders import SOCKET_NAME

PROTOCOL_3_0 = 196_608
CANNOT_CONNECT_NOW = b"C57P03\0"
TIMEOUT_S = 5.0
ENOUGH_BYTES = 4_096


class Readiness(Enum):
    """What a server says to somebody who wants to connect."""

    READY = "ready"
    BUSY = "busy"  # it starts up, recovers or shuts down
    SILENT = "silent"  # nobody listens
    REFUSED = "refused"  # it answers, with another error


def readiness(socket_folder: Path, *, user: str, database: str) -> Readiness:
    """Ask the server that listens in the folder, then hang up."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(TIMEOUT_S)
        try:
            connection.connect(str(socket_folder / SOCKET_NAME))
            connection.sendall(_start_packet(user, database))
            answer = connection.recv(ENOUGH_BYTES)
        except TimeoutError:
            return Readiness.BUSY
        except OSError:
            return Readiness.SILENT
        if answer.startswith(b"R"):
            return Readiness.READY
        if not answer or CANNOT_CONNECT_NOW in answer:
            return Readiness.BUSY
        return Readiness.REFUSED


def _start_packet(user: str, database: str) -> bytes:
    parameters = f"user\0{user}\0database\0{database}\0\0".encode()
    return struct.pack("!ii", len(parameters) + 8, PROTOCOL_3_0) + parameters
