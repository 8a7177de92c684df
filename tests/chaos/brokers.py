"""The brokers that bells travel by: files, Redis, RabbitMQ; each can die, and each can forget."""

import os
import pwd
import shutil
import socket
from contextlib import suppress
from pathlib import Path

from accounting.embedded.accounts import Account
from tests.chaos.processes import Process, free_port, is_open, wait_until

REDIS = shutil.which("redis-server")
RABBITMQ = next(iter(Path("/usr/lib/rabbitmq/bin").glob("rabbitmq-server")), None)


class Bells:
    """No broker at all: files in the data folder, which may vanish at any moment."""

    name = "bells"
    url = ""
    process = None

    def __init__(self, folder):
        self.folder = folder

    def start(self):
        pass

    def is_up(self):
        return True

    def forget(self):
        for bell in (self.folder / "var" / "bells").glob("*"):
            bell.unlink(missing_ok=True)

    def kill(self):
        self.forget()

    def close(self):
        pass


class Redis:
    """Keeps nothing on disk: whoever kills it takes every message along."""

    name = "redis"

    def __init__(self, folder):
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        quiet = ("--save", "", "--appendonly", "no")
        self.process = Process(
            self.name,
            [REDIS, "--port", self.port, "--bind", "127.0.0.1", *quiet, "--dir", folder],
            environment=dict(os.environ),
            log=folder / "redis.log",
            port=self.port,
        )

    def start(self):
        self.process.start()

    def is_up(self):
        return is_open(self.port)

    def forget(self):
        """FLUSHALL."""
        with (
            suppress(OSError),
            socket.create_connection(("127.0.0.1", self.port), timeout=5) as client,
        ):
            client.sendall(b"FLUSHALL\r\n")
            client.recv(100)

    def kill(self):
        self.process.kill()

    def close(self):
        self.process.kill()


class RabbitMq:
    """A node of its own, below its own folder, with its own register of names (epmd)."""

    name = "rabbitmq"

    def __init__(self, folder):
        self.port, names, distribution = free_port(), free_port(), free_port()
        self.url = f"amqp://guest:guest@127.0.0.1:{self.port}//"
        home = folder / "rabbitmq"
        home.mkdir()
        account = _unprivileged(home)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "ERL_EPMD_PORT": str(names),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": f"tallybook{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(distribution),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "RABBITMQ_MNESIA_BASE": str(home / "mnesia"),
            "RABBITMQ_LOG_BASE": str(home / "log"),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_CONFIG_FILE": str(home / "none"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "plugins"),
            "RABBITMQ_PID_FILE": str(home / "pid"),
            "RABBITMQ_CONF_ENV_FILE": str(home / "none"),
        }
        log = folder / "rabbitmq.log"
        epmd = next(Path("/usr/bin").glob("epmd"))
        self._names = Process("epmd", [epmd], environment=environment, log=log, account=account)
        self.process = Process(
            self.name,
            [RABBITMQ],
            environment=environment,
            log=log,
            account=account,
            port=self.port,
        )
        self._names.start()
        wait_until(lambda: is_open(names), what="epmd")

    def start(self):
        self.process.start()

    def is_up(self):
        return is_open(self.port)

    def forget(self):
        """It has no such command that is quick; its death forgets as much."""
        self.kill()

    def kill(self):
        self.process.kill()

    def close(self):
        self.process.kill()
        self._names.kill()


def _unprivileged(home):
    """Whom a node runs as: ourselves, or somebody harmless when we are root."""
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam("nobody")
    account = Account(uid=entry.pw_uid, gid=entry.pw_gid)
    account.own(home)
    return account.for_subprocess()


BROKERS = {broker.name: broker for broker in (Bells, Redis, RabbitMq)}
MISSING = {"redis": REDIS is None, "rabbitmq": RABBITMQ is None}
