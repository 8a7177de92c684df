"""Django as a WSGI application; granian serves it behind the gate of `asgi`, runserver as it is."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
application = get_wsgi_application()
