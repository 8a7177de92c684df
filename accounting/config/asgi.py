"""The ASGI application that granian serves: the WSGI one, behind a gate for bodies."""

from accounting.config.wsgi import application as wsgi_application

# They need the settings, which the line above has read.
from accounting.config.celery import load_broker  # isort: skip
from accounting.config.gate import Gate  # isort: skip

load_broker()
application = Gate(wsgi_application)
