"""All that differs between machines is in the environment: SITE, ISS, CLIENT_ID, CLIENT_SECRET, SECRET_KEY, DATABASE."""
import os
from urllib.parse import urlsplit

SITE = os.environ["SITE"]
OIDC = {"issuer": os.environ["ISS"], "client_id": os.environ["CLIENT_ID"], "client_secret": os.environ["CLIENT_SECRET"]}

SECRET_KEY = os.environ["SECRET_KEY"]
ALLOWED_HOSTS = [urlsplit(SITE).hostname]
CSRF_TRUSTED_ORIGINS = [SITE]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SITE.startswith("https:")
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True

ROOT_URLCONF = "notes.urls"
LOGIN_URL = "log_in"
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "notes"]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": ["django.template.context_processors.request", "django.contrib.auth.context_processors.auth"]}}]
