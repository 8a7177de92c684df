"""How the project is put together: settings, addresses, Celery, WSGI."""
