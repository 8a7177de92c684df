"""A small site behind the gate, for tests that start a real server: it echoes how long a body is."""

from accounting.config.bodies import Patience
from accounting.config.gate import Gate


def echo(environ, start_response):
    size = 0
    try:
        while piece := environ["wsgi.input"].read(64 * 1024):
            size += len(piece)
        told = f"{size} bytes"
    except OSError as error:
        told = type(error).__name__
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}: {told}".encode()]


application = Gate(echo, patience=Patience(pause_s=1.0, share_s=20.0), long_body_threads=2)
