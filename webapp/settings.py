"""All settings, read from the environment; docs/configuration.md lists the variables."""

from pathlib import Path

from webapp import environ

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.load(BASE_DIR)

STATE_DIR = Path(env.text("BELAY_STATE_DIR", str(BASE_DIR / ".belay")))
SECRET_KEY = env.secret("SECRET_KEY")
DEBUG = env.flag("DEBUG", False)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ("127.0.0.1", "localhost", "[::1]") if env.is_embedded else ())
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "channels",
    "ninja",
    "django_celery_beat",
    "webapp.audit",
    "webapp.accounts",
    "webapp.rollouts",
    "webapp.trajectories",
    "webapp.tickets",
    "webapp.agent_sessions",
    "webapp.training",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "webapp.api.wrong_method",
]
ROOT_URLCONF = "webapp.urls"
CSRF_FAILURE_VIEW = "webapp.api.no_csrf_token"
ASGI_APPLICATION = "webapp.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,  # the API's own pages bring theirs
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]

# The web process alone asks for a pool (webapp/asgi.py): it answers on ever new threads. A session host keeps one
# connection for each session, Celery one for each worker.
DATABASES = {
    "default": env.database("DATABASE_URL", pool=env.integer("DATABASE_POOL", 0, minimum=0, maximum=200)),
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

VALKEY_URL = env.url("VALKEY_URL", ("redis", "rediss"))
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [VALKEY_URL], "prefix": "belay"},
    }
}
CELERY_BROKER_URL = VALKEY_URL
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 300, "global_keyprefix": "celery:"}
CELERY_BEAT_SCHEDULER = "django_celery_beat.schedulers:DatabaseScheduler"
CELERY_TASK_ROUTES = {f"webapp.training.tasks.{name}": {"queue": "training"} for name in ("train", "judge")}

S3_ENDPOINT_URL = env.url("S3_ENDPOINT_URL", ("http", "https"))
S3_ACCESS_KEY = env.text("S3_ACCESS_KEY")
S3_SECRET_KEY = env.secret("S3_SECRET_KEY", min_length=8)
S3_BUCKET = env.text("S3_BUCKET", "belay")

TRAIN_AFTER_ACCEPTED = env.integer("TRAIN_AFTER_ACCEPTED", 5, minimum=1, maximum=100_000)
TRAIN_BUDGET_S = env.integer("TRAIN_BUDGET_S", 120, minimum=5, maximum=7 * 24 * 3600)
TRAIN_PRACTICE_S = env.integer("TRAIN_PRACTICE_S", 60, minimum=0, maximum=7 * 24 * 3600)
EVALUATE_EPISODES = env.integer("EVALUATE_EPISODES", 2, minimum=0, maximum=1000)  # held-out tasks per template
COMMIT = environ.commit(BASE_DIR) or env.text("COMMIT", "unknown")
SESSION_SLOTS = env.integer("SESSION_SLOTS", 3, minimum=1, maximum=64)  # live sessions per session host

STATIC_URL = "static/"
STATIC_ROOT = STATE_DIR / "static"
STATICFILES_DIRS = [path for path in (BASE_DIR / "webapp" / "frontend" / "dist",) if path.exists()]

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 12 * 3600
COOKIES_ONLY_OVER_TLS = env.flag("COOKIES_ONLY_OVER_TLS", not env.is_embedded)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = COOKIES_ONLY_OVER_TLS

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "filters": {"sparse": {"()": "webapp.logs.Sparse"}},
    # Anybody can send requests that are refused, in any number.
    "loggers": {name: {"filters": ["sparse"]} for name in ("django.request", "django.security.DisallowedHost")},
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "INFO")},
}
