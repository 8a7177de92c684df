"""A web server that answers before what it promises is on the disk: a control that must lose something."""

from accounting.config.asgi import application

# Needs the settings, which the line above has read.
from ingest.services import receive  # isort: skip

__all__ = ["application"]
receive.commit_on_disk = lambda: None
