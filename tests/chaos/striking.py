"""A program that does pieces of Tallybook's work in children of its own, and kills them at named points.

It reads orders as JSON lines and answers each with one: {"signal": how the child ended, "said": …}.
Django is loaded once, so a child costs milliseconds; each has its own connection to the database.
"""

import io
import json
import os
import signal
import sys

import django


class Strike:
    """Kills this process when it passes a point for the n-th time."""

    def __init__(self, point, nth):
        self.point = point
        self.left = nth

    def __call__(self, point):
        if point == self.point:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def push(*, token, key, body):
    from django.test import Client

    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key}
    answer = Client(SERVER_NAME="localhost").post(
        "/api/v1/events", body, content_type="application/x-ndjson", headers=headers
    )
    return {"status": answer.status_code, **answer.json()}


def upload(*, organization_id, body):
    from ingest.services.receive import Sender, receive_upload

    sender = Sender(organization_id=organization_id, name="a.jsonl")
    stream = io.BytesIO(body.encode())
    receipt = receive_upload(sender=sender, stream=stream, limit=10**9, expected=len(body))
    return {"state": receipt.state, "import_id": receipt.import_id}


def read():
    from ingest.services.reading import read_waiting

    return {"left": read_waiting(seconds=60)}


def main():
    django.setup()
    # Loaded before the children are made, so that they need not.
    from django.test import Client
    from django.urls import get_resolver

    from ingest.api import push as door
    from ingest.formats import cutting
    from ingest.services import points, receive

    assert get_resolver().url_patterns
    assert Client
    door.ring = lambda: None
    receive.cut = lambda stream, layout: cutting.cut(stream, layout, 1_000)
    works = {"push": push, "upload": upload, "read": read}
    for line in sys.stdin:
        order = json.loads(line)
        from_child, to_parent = os.pipe()
        pid = os.fork()
        if pid == 0:
            if "point" in order:
                points.watcher = Strike(order["point"], order["nth"])
            said = works[order["do"]](**order.get("how", {}))
            os.write(to_parent, json.dumps(said).encode())
            os._exit(0)
        os.close(to_parent)
        with os.fdopen(from_child, "rb") as pipe:
            said = pipe.read()
        _, status = os.waitpid(pid, 0)
        answer = {
            "signal": os.WTERMSIG(status),
            "code": status >> 8,
            "said": json.loads(said or b"null"),
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
