"""A TCP proxy that delays, cuts and stalls: what networks do."""

import socket
import threading
import time
from contextlib import suppress


class Proxy:
    """Passes bytes on from a port of its own to a place. upstream: (host, port) or a socket's path.

    delay_s: before each piece is passed on. is_stalled: nothing is, and nobody is told.
    """

    def __init__(self, upstream):
        self.upstream = upstream
        self.delay_s = 0.0
        self.is_stalled = False
        self._ends = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """End every connection in the middle of whatever it carries."""
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes who waits in accept
        self._listener.close()
        self.cut()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = self._connected()
            except OSError:
                near.close()
                continue
            self._ends = [end for end in self._ends if end.fileno() >= 0] + [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _connected(self):
        if isinstance(self.upstream, tuple):
            return socket.create_connection(self.upstream, timeout=5)
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(str(self.upstream))
        except OSError:
            far.close()
            raise
        return far

    def _pass_on(self, source, target):
        source.settimeout(None)
        with suppress(OSError):
            while piece := source.recv(16 * 1024):
                time.sleep(self.delay_s)
                while self.is_stalled:
                    time.sleep(0.05)
                target.sendall(piece)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
