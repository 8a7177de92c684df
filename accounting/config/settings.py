"""Django's settings, from the environment alone."""

from pathlib import Path
from urllib.parse import unquote

import environ
from django.utils.csp import CSP

from accounting.config.environment import (
    data_folder,
    flag,
    listed,
    number,
    refuse_wrong,
    setting,
)
from accounting.embedded.folders import DataFolder

refuse_wrong()

BASE_DIR = environ.Path(__file__) - 3
DATA_FOLDER = DataFolder(data_folder())
EMBEDDED = not setting("DATABASE_URL")

DEBUG = flag("DEBUG")
SECRET_KEY = setting("SECRET_KEY") or DATA_FOLDER.secret_key()
ALLOWED_HOSTS = listed(setting("ALLOWED_HOSTS"))
CSRF_TRUSTED_ORIGINS = listed(setting("CSRF_TRUSTED_ORIGINS"))

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "accounting",
    "ingest",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "accounting.config.packing.PackedFiles",
    "accounting.config.packing.PackedPages",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "accounting.web.preferences.counting_as_chosen",
    "accounting.web.form_addresses.leading_back",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "accounting.config.urls"
WSGI_APPLICATION = "accounting.config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR("templates")],
        "APP_DIRS": True,
        "OPTIONS": {
            "debug": DEBUG,
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csp",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounting.web.context.frame",
            ],
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.static",
                "accounting.web.tags",
                "accounting.web.exports",
                "accounting.web.sharing",
                "accounting.web.money_tags",
                "accounting.web.panel_tags",
            ],
        },
    }
]

if EMBEDDED:
    _database = {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "tallybook",
        "USER": "tallybook",
        "HOST": str(DATA_FOLDER.socket_folder),
        "PORT": "5432",
    }
else:
    _database = environ.Env.db_url_config(setting("DATABASE_URL"))
    _database["HOST"] = unquote(_database["HOST"])  # a socket folder is written %2Frun%2F…
DATABASES = {"default": {**_database, "CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "sign-in"

LANGUAGE_CODE = "en"
# A language is offered once its catalog is complete; `make check` holds that.
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR("locale")]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 60 * 60
LANGUAGE_COOKIE_SAMESITE = "Lax"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
# Collected only where an image is built; everywhere else the finders serve them.
STATIC_ROOT = BASE_DIR("staticfiles") if Path(BASE_DIR("staticfiles")).is_dir() else None
STATICFILES_DIRS = [BASE_DIR("static")]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# Plotly fills one empty style element by script; the hash is SHA-256 of the empty string.
EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
SECURE_CSP = {
    "default-src": [CSP.SELF],
    "script-src": [CSP.SELF, CSP.NONCE],
    "style-src": [CSP.SELF, CSP.NONCE, EMPTY_STYLE],
    "img-src": [CSP.SELF, "data:", "blob:"],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
    "form-action": [CSP.SELF],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = flag("SECURE_COOKIES")
SESSION_COOKIE_AGE = 12 * 60 * 60
CSRF_FAILURE_VIEW = "accounting.config.refusals.without_token"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounting.api.auth.ApiKeyAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["accounting.api.auth.MayRead"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "accounting.api.errors.problem_response",
    "COERCE_DECIMAL_TO_STRING": True,
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Tallybook",
    "VERSION": "1",
    "POSTPROCESSING_HOOKS": [
        "accounting.api.pushes.with_pushes",
        "accounting.api.shared_parameters.with_shared_parameters",
    ],
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
}

CELERY_BROKER_URL = setting("CELERY_BROKER_URL") or DATA_FOLDER.bell_url
CELERY_BROKER_TRANSPORT_OPTIONS = {} if setting("CELERY_BROKER_URL") else DATA_FOLDER.bell_options
if CELERY_BROKER_URL.startswith("redis"):
    # Without limits a bell to a host that has vanished would wait for a quarter of an hour.
    CELERY_BROKER_TRANSPORT_OPTIONS |= {"socket_connect_timeout": 2, "socket_timeout": 5}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # for ever: a worker that gives up reads nothing
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_TIME_LIMIT = 600
# Messages are bells: what is to be done stands in the database, and a sweep rings again. So none is
# acknowledged late, and their number has no limit: a worker that waits for acknowledgements which a
# dead Redis never got would listen no more, notice no end of its connection, and never work again.
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 0
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
# An entry that waited for long is dropped: a later one does its work. Not after its interval: the worker's
# host tells the time of that, and would drop all of them where its clock is seconds ahead of beat's.
CELERY_BEAT_SCHEDULE = {
    name: {"task": name, "schedule": interval_s, "options": {"expires": max(interval_s, 300)}}
    for name, interval_s in {
        "ingest.tasks.sweep": 5,
        "ingest.tasks.look_at_folders": 5,
        "accounting.tasks.sweep_repricings": 30,
        "accounting.tasks.make_partitions": 60 * 60,
        "accounting.tasks.keep_projections": 60 * 60,
    }.items()
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    # A sweep every few seconds is no news.
    "loggers": {
        name: {"level": "WARNING"}
        for name in ("celery.app.trace", "celery.beat", "celery.worker.strategy")
    },
}

WEB_HOST = setting("TALLYBOOK_HOST")
WEB_PORT = number("TALLYBOOK_PORT")
WORKER_PROCESSES = number("TALLYBOOK_WORKERS")

MAX_PUSH_BYTES = number("TALLYBOOK_MAX_PUSH_MB") * 1_000_000
MAX_UPLOAD_BYTES = number("TALLYBOOK_MAX_UPLOAD_MB") * 1_000_000
MAX_WAITING_BYTES = number("TALLYBOOK_MAX_WAITING_MB") * 1_000_000
KEEP_RAW_DAYS = number("TALLYBOOK_KEEP_RAW_DAYS")
MOST_REQUESTS_READ = number("TALLYBOOK_MOST_REQUESTS_READ")
QUESTIONS_PER_MINUTE = number("TALLYBOOK_QUESTIONS_PER_MINUTE")
WRONG_KEYS_PER_MINUTE = number("TALLYBOOK_WRONG_KEYS_PER_MINUTE")
METRICS_TOKEN = setting("TALLYBOOK_METRICS_TOKEN")
