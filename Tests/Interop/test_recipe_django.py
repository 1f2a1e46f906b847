"""docs/recipes.md, Django: mozilla-django-oidc and social-auth-app-django log people in with their defaults, through a real browser."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests

from chromium import Chromium
from phone import person
from recipe import Recipe, log_in
from server import free_port
from waiting import eventually

SETTINGS = """
from pathlib import Path
SECRET_KEY, DEBUG, ALLOWED_HOSTS, ROOT_URLCONF, USE_TZ = "only for tests", True, ["*"], "notes.urls", True
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"]
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
              "django.contrib.auth.middleware.AuthenticationMiddleware"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": Path(__file__).with_name("db")}}
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates"}]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
"""
URLS = """
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.template import engines
from django.urls import path

@login_required
def private(request):
    return HttpResponse(f"{request.user.email} is {request.user.username}")

def home(request):
    page = LOGOUT if request.user.is_authenticated else LOGIN
    return HttpResponse(engines["django"].from_string(page).render(request=request))

LOGOUT, LOGIN = '<form method="post" action="/oidc/logout/">{% csrf_token %}<button>Log out</button></form>', "Nobody"
urlpatterns = [path("", home), path("private/", private)]
"""


class Site:
    """The project `notes` with what the page adds to it, served as Django does while one writes it."""

    def __init__(self, folder: Path, recipe: Recipe, library: str, port: int):
        self.folder, self.home = folder, f"http://127.0.0.1:{port}"
        package = folder / "notes"
        package.mkdir()
        for name, own in {"__init__": "", "settings": SETTINGS, "urls": URLS, "logout": ""}.items():
            added = recipe.fence(f"python {library} {name}") if f"```python {library} {name}\n" in recipe.section else ""
            (package / f"{name}.py").write_text(own + added)
        if f"```html {library}\n" in recipe.section:
            with (package / "urls.py").open("a") as urls:
                urls.write(f"LOGIN = {recipe.fence(f'html {library}')!r}\n")
        self.environment = os.environ | {"DJANGO_SETTINGS_MODULE": "notes.settings", "PYTHONPATH": str(folder)}
        self.django("migrate").wait(timeout=60)
        self.process = self.django("runserver", "--noreload", "--nothreading", f"127.0.0.1:{port}")
        if not eventually(self.answers, within_s=60):
            self.close()
            raise AssertionError(self.log)

    def django(self, *arguments: str) -> subprocess.Popen:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen([sys.executable, "-m", "django", *arguments], env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                    stdout=log, stderr=subprocess.STDOUT)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-4000:]

    def answers(self) -> bool:
        try:
            return requests.get(self.home, timeout=5).status_code == 200
        except requests.RequestException:
            return False

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)


@pytest.fixture
def site(server, folder):
    """Makes the site of one library, with its client."""
    made: list[Site] = []

    def make(library: str) -> Site:
        port = free_port()
        recipe = Recipe(server, "Django", **{"https://notes.example.org": f"http://127.0.0.1:{port}"})
        recipe.create(f"sh {library}")
        made.append(Site(Path(mkdtemp(dir=folder)), recipe, library, port))
        return made[-1]

    yield make
    for one in made:
        print(one.log)  # shown where a test fails
        one.close()


@pytest.fixture
def browser(folder):
    browser = Chromium(Path(mkdtemp(dir=folder)), {})
    yield browser
    browser.close()


def test_mozilla_django_oidc(server, site, browser):
    """With secret in the body, RS256 and PKCE; logout leads to the provider, and back."""
    notes, name = site("mozilla"), person(server)

    browser.open(f"{notes.home}/private/")
    log_in(browser, name)
    assert browser.url == f"{notes.home}/private/" and f"{name}@example.org is " in browser.text

    browser.open(f"{notes.home}/")
    browser.click("button")
    assert browser.url == f"{notes.home}/" and browser.text == "Nobody"
    browser.open(f"{notes.home}/private/")
    assert browser.url.startswith(f"{server.issuer}/login")


def test_social_auth(server, site, browser):
    """With discovery, nonce and `at_hash`."""
    notes, name = site("social"), person(server)

    browser.open(f"{notes.home}/")
    browser.click("button")
    log_in(browser, name)

    browser.open(f"{notes.home}/private/")
    assert browser.url == f"{notes.home}/private/" and f"{name}@example.org is " in browser.text
