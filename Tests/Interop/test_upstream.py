"""Login at an institution's own provider: another Pando, whose logout ends what was opened here, and one by pyop. What is refused is for JourneyTests."""
from __future__ import annotations

import secrets
import tempfile
from pathlib import Path
from urllib.parse import urlencode

import pytest
import requests

from browsing import Browser
from campus import Campus
from clients import CALLBACK, web_client
from keys import new_id, sha256
from phone import PASSWORD
from server import Cluster, Server, free_port
from waiting import eventually


@pytest.fixture(scope="module")
def cluster(folder):
    cluster = Cluster(Path(tempfile.mkdtemp(dir=folder)) / "postgres")
    try:
        yield cluster.start()
    finally:
        cluster.discard()


@pytest.fixture(scope="module")
def home(folder, cluster) -> Server:
    """The institution's Pando. At an address of its own, since cookies know no ports."""
    port = free_port()
    server = Server(folder / "home", cluster.url("home"), PANDO_PORT=str(port), PANDO_ISSUER=f"http://127.0.0.1:{port}", PANDO_ROLES="idp,crawler",
                    PANDO_SIGNING_ALGORITHMS="ES256,RS256")
    server.port, server.issuer = port, f"http://127.0.0.1:{port}"
    server.folder.mkdir(exist_ok=True)
    yield server.start()
    server.clear()


def institution(server: Server, domain: str) -> str:
    name = f"uni-{secrets.token_hex(4)}"
    server.sql(f"insert into institution (id, name, domains, created_at) values ('{name}', 'University {name}', '{{{domain}}}', now())")
    return name


@pytest.fixture(scope="module")
def joined(server, home) -> str:
    """The provider's id here; it makes accounts of who comes."""
    name = institution(server, "home.example")
    client = web_client(home, "Here", redirect=f"{server.issuer}/login/institution/{name}/callback",
                        backchannel_logout_uri=f"{server.issuer}/upstream/{name}/backchannel-logout")
    made = server.admin("providers", "add", home.issuer, "--institution", name, "--client-id", client["client_id"], "--client-secret", "-", "--create", "--userinfo",
                        stdin=client["client_secret"])
    assert made["redirect_uri"] == f"{server.issuer}/login/institution/{name}/callback"
    assert server.admin("providers", "check", name)["ok"] is True
    return name


def somebody(home: Server) -> str:
    name = f"h{secrets.token_hex(5)}"
    home.admin("accounts", "create", "--username", name, "--password-stdin", "--email", f"{name}@home.example", "--name", "Hanna Home", stdin=PASSWORD)
    home.sql(f"update account set email_verified_at = now() where username = '{name}'")
    return name


def log_in(here: Browser, there: Browser, provider: str, query: str = "return_to=/account"):
    """From here to there and back."""
    away = here.open(f"{here.site}/login/institution/{provider}?{query}")
    assert away.is_outside and away.url.startswith(f"{there.site}/authorize?"), f"{away.url} {away.status}"
    return here.open(there.come_back(away.url))


def test_another_pando_logs_people_in_and_its_logout_ends_what_was_opened_here(server, home, joined):
    name = somebody(home)
    here, there = Browser(server.issuer, name), Browser(home.issuer, name)

    page = log_in(here, there, joined)
    assert page.status == 200 and page.url == f"{server.issuer}/account"

    client, verifier = web_client(server, "Notes"), new_id() + new_id()
    query = urlencode({"response_type": "code", "client_id": client["client_id"], "redirect_uri": CALLBACK, "scope": "openid profile email", "state": "s", "nonce": "n",
                       "code_challenge": sha256(verifier), "code_challenge_method": "S256"})
    code = dict(pair.split("=", 1) for pair in here.come_back(f"{server.issuer}/authorize?{query}").split("?", 1)[1].split("&"))["code"]
    tokens = requests.post(f"{server.issuer}/token", auth=(client["client_id"], client["client_secret"]), timeout=30, data={
        "grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": verifier}).json()
    known = requests.get(f"{server.issuer}/userinfo", headers={"Authorization": f"Bearer {tokens['access_token']}"}, timeout=30)
    assert known.json()["email"] == f"{name}@home.example" and known.json()["email_verified"] is True and known.json()["name"] == "Hanna Home"

    asked = there.open(f"{home.issuer}/logout")
    there.submit(asked, next(form for form in asked.forms if form.action == "/logout"), decision="logout")

    assert eventually(lambda: here.open(f"{server.issuer}/account").url.startswith(f"{server.issuer}/login"))
    dead = requests.get(f"{server.issuer}/userinfo", headers={"Authorization": f"Bearer {tokens['access_token']}"}, timeout=30)
    assert dead.status_code == 401


def test_a_provider_by_pyop_logs_people_in_by_what_its_userinfo_tells(server):
    secret, username = secrets.token_urlsafe(24), f"p{secrets.token_hex(5)}"
    campus = Campus("pando", secret, {"preferred_username": username, "name": "Pia Pyop", "email": f"{username}@campus.example", "email_verified": True})
    try:
        name = institution(server, "campus.example")
        made = server.admin("providers", "add", campus.issuer, "--institution", name, "--client-id", "pando", "--client-secret", "-", "--create", "--userinfo",
                            stdin=secret)
        campus.register(made["redirect_uri"])
        here, there = Browser(server.issuer, username), requests.Session()

        away = here.open(f"{server.issuer}/login/institution/{name}?return_to=/account")
        back = there.get(away.url, allow_redirects=False, timeout=30).headers["Location"]
        page = here.open(back)
        again = here.open(back)

        assert page.status == 200 and "Pia Pyop" in page.text and username in page.text
        assert again.status == 404, "an answer counts once"
        server.admin("providers", "remove", name)
    finally:
        campus.close()
