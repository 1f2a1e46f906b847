"""django-oauth-toolkit as an authorization server in a project of one file; tokens in PostgreSQL, connections kept.

In: PEER_DATABASE, a name, and libpq's PGHOST, PGPORT, PGUSER for where it is; PEER_CLIENT, PEER_SECRET.
"""
from __future__ import annotations

import os

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["*"], SECRET_KEY="bench", ROOT_URLCONF=__name__, USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"], MIDDLEWARE=[],
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PEER_DATABASE"], "CONN_MAX_AGE": None}},
    OAUTH2_PROVIDER={"SCOPES": {"read": "read", "introspection": "introspection"}, "ACCESS_TOKEN_EXPIRE_SECONDS": 3_600})
django.setup()

from oauth2_provider.views import IntrospectTokenView, RevokeTokenView, TokenView  # noqa: E402  (needs the settings)

urlpatterns = [path("ready", lambda request: HttpResponse("ready")), path("token", TokenView.as_view()),
               path("introspect", IntrospectTokenView.as_view()), path("revoke", RevokeTokenView.as_view())]
app = get_wsgi_application()


def prepare() -> None:
    """The tables, and the client; once, before the workers start. Its secret is kept as it is, as hashing it slowly would be all that is measured."""
    from django.core.management import call_command
    from oauth2_provider.models import Application
    call_command("migrate", verbosity=0)
    Application.objects.update_or_create(client_id=os.environ["PEER_CLIENT"], defaults={
        "name": "bench", "client_secret": os.environ["PEER_SECRET"], "hash_client_secret": False,
        "client_type": Application.CLIENT_CONFIDENTIAL, "authorization_grant_type": Application.GRANT_CLIENT_CREDENTIALS})


if __name__ == "__main__":
    prepare()
