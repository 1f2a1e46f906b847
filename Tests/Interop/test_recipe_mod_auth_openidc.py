"""docs/recipes.md, mod_auth_openidc: Debian's module lets people in with a secret, with a key of its own, and after it has registered itself."""
from __future__ import annotations

import json
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import quote

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from apache import Apache, Told
from chromium import Chromium
from phone import person
from recipe import Recipe, log_in
from waiting import eventually

HOST = "notes.example.org"
HOME = f"https://{HOST}"


@pytest.fixture(scope="module")
def application():
    told = Told()
    yield told
    told.close()


@pytest.fixture
def apache(folder):
    apache = Apache(Path(mkdtemp(dir=folder)), HOST, "auth_openidc")
    yield apache
    print(apache.tail())  # shown where a test fails
    apache.close()


@pytest.fixture
def browser(folder, apache):
    browser = Chromium(Path(mkdtemp(dir=folder)), {HOST: apache.secure_port})
    yield browser
    browser.close()


@pytest.fixture
def recipe(server, apache, application) -> Recipe:
    """Over TLS for browsers, in the clear for the provider's own requests, which know no such name."""
    near, asked = f"http://127.0.0.1:{apache.port}", ("/private/callback?logout", "/private/callback?jwks")
    return Recipe(server, "mod_auth_openidc", **{HOME + path: near + path for path in asked}, **{
        "http://127.0.0.1:3000/": f"{application.address}/", "/etc/apache2/": f"{apache.folder}/",
        "/var/cache/apache2/": f"{apache.folder}/"})


def shown(browser: Chromium, apache: Apache) -> dict:
    """What the application behind the module was told."""
    assert browser.url.startswith(f"{HOME}/private/") and browser.text.startswith("{"), f"{browser.url}: {browser.text}\n{apache.tail()}"
    return json.loads(browser.text)


def test_with_a_secret(server, apache, browser, recipe):
    """Login with PKCE, claims as headers and `Require claim`; logout at the provider, and back."""
    name = person(server)
    recipe.create("sh secret")
    apache.start(recipe.fence("apache secret"))

    browser.open(f"{HOME}/private/")
    log_in(browser, name)
    told = shown(browser, apache)
    browser.open(f"{HOME}/private/callback?logout=https%3A%2F%2F{HOST}%2Fbye")

    assert told["OIDC_CLAIM_email"] == f"{name}@example.org" and told["X-Remote-User"] == f"{name}@example.org", apache.tail()
    assert browser.url.split("?")[0] == f"{HOME}/bye"
    browser.open(f"{HOME}/private/")
    assert browser.url.startswith(f"{server.issuer}/login")


def test_who_logs_out_at_the_provider_is_logged_out_there(server, apache, browser, recipe):
    """Back-channel logout: the module is told, and asks again."""
    recipe.create("sh secret")
    apache.start(recipe.fence("apache secret"))
    browser.open(f"{HOME}/private/")
    log_in(browser, person(server))
    shown(browser, apache)

    browser.open(f"{server.issuer}/logout")
    browser.click("button[value=logout]")

    def asked_again() -> bool:
        browser.open(f"{HOME}/private/")
        return browser.url.startswith(f"{server.issuer}/login")
    assert eventually(asked_again), apache.tail()


def test_with_a_key(server, apache, browser, recipe):
    """`private_key_jwt` as the module makes it: for the token endpoint's address. It publishes its key by itself."""
    name, key = person(server), rsa.generate_private_key(65537, 2048)
    (apache.folder / "oidc.pub").write_bytes(key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    (apache.folder / "oidc.key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    recipe.create("sh key")
    apache.start(recipe.fence("apache key"))

    browser.open(f"{HOME}/private/")
    log_in(browser, name)

    assert shown(browser, apache)["OIDC_CLAIM_email"] == f"{name}@example.org", apache.tail()


def test_registered_by_itself(server, apache, browser, recipe):
    """RFC 7591: with an initial access token and nothing else; what it asks for and is not given, it does without."""
    name, metadata = person(server), apache.folder / "oidc"
    metadata.mkdir()
    host = quote(server.issuer.removeprefix("http://"))
    invitation = server.admin("clients", "invite")["initial_access_token"]
    (metadata / f"{host}.conf").write_text(recipe.fence("json registration").replace("INITIAL_ACCESS_TOKEN", invitation))
    apache.start(recipe.fence("apache registration"))

    browser.open(f"{HOME}/private/")
    log_in(browser, name)

    registered = json.loads((metadata / f"{host}.client").read_text())
    assert shown(browser, apache)["OIDC_CLAIM_email"] == f"{name}@example.org", apache.tail()
    assert registered["client_id"] and registered["redirect_uris"] == [f"{HOME}/private/callback"]
