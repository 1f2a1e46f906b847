"""deploy/proxy/haproxy.cfg: Debian's HAProxy in front of a server, with TLS, HTTP/2 and client certificates; a browser logs in through it."""
from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests

from application import HOME, HOST, Application
from authority import Authority
from browsing import Browser
from chromium import Chromium
from keys import verified
from phone import person
from proxied import PROGRAM, Proxied
from recipe import log_in


@pytest.fixture(scope="module")
def proxied(folder):
    assert PROGRAM.exists(), f"{PROGRAM} is missing: deploy/packages.sh test installs it"
    one = Proxied(Path(mkdtemp(dir=folder)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("REQUESTS_CA_BUNDLE", str(one.trusted))
        try:
            yield one.start()
        finally:
            one.close()


def test_a_browser_logs_in(proxied, folder):
    """By HTTP/2, from an application's link to its page."""
    application, name = Application(proxied.server), person(proxied.server)
    browser = Chromium(Path(mkdtemp(dir=folder)), {HOST: application.port})
    try:
        browser.open(f"{HOME}/login")
        assert browser.ask("performance.getEntriesByType('navigation')[0].nextHopProtocol") == "h2"
        log_in(browser, name)
        assert browser.url == f"{HOME}/" and f"{name}@example.org" in browser.text
    finally:
        browser.close()
        application.close()


def test_nobody_chooses_an_address(proxied):
    """What a client says of itself goes nowhere: the audit trail has the address that the proxy saw."""
    name = person(proxied.server)
    browser = Browser(proxied.server.issuer, name, "not the right one")
    browser.cookies.headers.update({"X-Forwarded-For": "198.51.100.7", "Forwarded": "for=198.51.100.8"})

    page = browser.open(f"{proxied.server.issuer}/account")
    browser.submit(page, page.forms[0], username=name, password="not the right one")

    told = proxied.server.admin("audit", "list", "--account", name, "--action", "login", "--outcome", "refused")["items"]
    assert [line["from"] for line in told] == ["127.0.0.1"]


def token(proxied: Proxied, client: dict, **options) -> requests.Response:
    asked = {"grant_type": "client_credentials", "client_id": client["client_id"]}
    return requests.post(f"{proxied.server.issuer}/token", data=asked, timeout=20, **options)


def test_a_certificate_is_handed_on(proxied):
    """RFC 8705: one of the authority's lets its client in, and binds the token; one of nobody's does not, nor does a header of the client's own."""
    shown = proxied.authority.leaf(proxied.folder, "machine", "machine.example.org")
    foreign = Authority("elsewhere").leaf(proxied.folder, "stranger", "machine.example.org")
    client = proxied.server.admin("clients", "create", "--name", "machine", "--auth-method", "tls_client_auth", "--certificate-name",
                                  "dns:machine.example.org", "--certificate-bound", "--grant", "client_credentials", "--scope", "read")
    der = "".join(line for line in shown[0].read_text().splitlines() if "-----" not in line)
    forged = {"Client-Cert": der, "X-SSL-Client-Verify": "SUCCESS"}

    good = token(proxied, client, cert=tuple(map(str, shown)))

    assert good.status_code == 200 and verified(good.json()["access_token"], proxied.server.issuer, "at+jwt")["cnf"]["x5t#S256"]
    for refused in (token(proxied, client), token(proxied, client, headers=forged), token(proxied, client, cert=tuple(map(str, foreign)))):
        assert (refused.status_code, refused.json()["error"]) == (401, "invalid_client")


def test_metrics_stay_inside(proxied):
    assert requests.get(f"{proxied.server.issuer}/metrics", timeout=20).status_code == 404
    assert requests.get(f"{proxied.server.issuer}/readyz", timeout=20).headers["Strict-Transport-Security"] == "max-age=31536000"
