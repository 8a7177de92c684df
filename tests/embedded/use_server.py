"""A command that uses the private server: `python -m tests.embedded.use_server FOLDER SECONDS`.

Connects at the beginning and at the end, prints "using" between and "used" after.
"""

import sys
import time
from pathlib import Path

import psycopg

from accounting.embedded.folders import DataFolder
from accounting.embedded.server import PrivateServer


def ask(folder: DataFolder) -> None:
    with psycopg.connect(host=str(folder.socket_folder), user="tallybook", dbname="tallybook"):
        pass


if __name__ == "__main__":
    used = DataFolder(Path(sys.argv[1]))
    with PrivateServer(used).use():
        ask(used)
        print("using", flush=True)
        time.sleep(float(sys.argv[2]))
        ask(used)
    print("used")
