"""The ASGI application that granian serves: the WSGI one, behind a gate for bodies."""

import gc

from accounting.config.wsgi import application as wsgi_application

# They need the settings, which the line above has read.
from accounting.config.celery import load_broker  # isort: skip
from accounting.config.gate import Gate  # isort: skip

#: So many new values are made before the collector looks at them: a page makes some ten thousand, and
#: nearly all of them are gone with it.
VALUES_BETWEEN_LOOKS = 20_000

load_broker()
application = Gate(wsgi_application)
# What is here now stays, and is not looked at again.
gc.collect()
gc.freeze()
gc.set_threshold(VALUES_BETWEEN_LOOKS)
