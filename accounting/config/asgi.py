"""The ASGI application that granian serves: the WSGI one, behind a gate for bodies."""

from accounting.config.wsgi import application as wsgi_application

# Needs the settings, which the line above has read.
from accounting.config.gate import Gate  # isort: skip

application = Gate(wsgi_application)
