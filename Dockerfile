# Two stages: the first makes the environment, the second carries it without the tools.
FROM python:3.13-slim-bookworm AS build
RUN python -m pip install --no-cache-dir 'uv>=0.13,<1'
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
WORKDIR /app
COPY pyproject.toml uv.lock .python-version ./
RUN uv sync --locked --no-dev
COPY manage.py ./
COPY accounting accounting
COPY ingest ingest
COPY templates templates
COPY locale locale
COPY static static
# A throw-away data folder: nothing of the build may end up in the image's own.
RUN mkdir staticfiles && SECRET_KEY=build TALLYBOOK_DATA_DIR=/tmp/build .venv/bin/python manage.py collectstatic --noinput

FROM python:3.13-slim-bookworm
RUN useradd --create-home --uid 10001 tallybook \
    && install --directory --owner tallybook --group tallybook --mode 0700 /var/tallybook
COPY --from=build /app /app
WORKDIR /app
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 TALLYBOOK_DATA_DIR=/var/tallybook
USER tallybook
VOLUME /var/tallybook
EXPOSE 8400
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8400/healthz', timeout=4)"]
STOPSIGNAL SIGTERM
# Everything in one container, with its own PostgreSQL; docker-compose.yml takes it apart.
ENV TALLYBOOK_HOST=0.0.0.0
CMD ["python", "manage.py", "up"]
