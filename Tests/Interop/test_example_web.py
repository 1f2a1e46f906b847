"""examples/web: applications as their READMEs start them. A browser logs in, sees its claims, logs out; who logs out elsewhere is logged out there."""
from __future__ import annotations

import json
import os
import re
import shutil
from base64 import urlsafe_b64decode
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
import requests

from authority import Authority
from chromium import Chromium
from example import Example
from keys import new_id, new_key, now, signed
from phone import PASSWORD, person
from readme import Readme
from recipe import log_in
from server import CHECKOUT, free_port
from waiting import eventually

WITHOUT_RIGHTS = "www-data"
AS_OTHER = ["setpriv", f"--reuid={WITHOUT_RIGHTS}", f"--regid={WITHOUT_RIGHTS}", "--clear-groups"]


class Site:
    """One of the examples: set up by the first block of its README, served by the second."""

    name = private = log_out = ""
    astray = ""     # where an address could be put that leads elsewhere

    def __init__(self, server, folder: Path):
        self.server, self.folder, self.port = server, Path(mkdtemp(dir=folder)), free_port()
        self.place, self.home = self.folder / "site", f"http://localhost:{self.port}"
        self.readme = Readme(server, f"web/{self.name}", PORT=str(self.port), PLACE=str(self.place))
        self.example = Example(self.port, self.folder / "log")

    def prefix(self) -> list[str]:
        return []

    def start(self) -> "Site":
        self.example.start([*self.prefix(), *self.readme.command("sh serve")], self.readme.environment, CHECKOUT)
        return self

    def tail(self) -> str:
        return self.example.tail()


class ModAuthOpenIDC(Site):
    name, private, log_out = "mod_auth_openidc", "/private/", "a[href*=logout]"
    astray = "/private/callback?logout="

    @property
    def secrets(self) -> Path:
        return self.place / "settings.conf"

    def prefix(self) -> list[str]:
        """Apache serves nothing as root: root's folder is handed over."""
        if os.geteuid() != 0:
            return []
        for path in (self.place, *self.place.rglob("*")):
            shutil.chown(path, WITHOUT_RIGHTS)
        for path in (self.folder, self.folder.parent):
            path.chmod(0o711)
        return AS_OTHER

    def tail(self) -> str:
        log = self.place / "error.log"
        return super().tail() + (log.read_text(errors="replace")[-3000:] if log.exists() else "")


class Django(Site):
    name, private, log_out = "django", "/notes/", "form[action*=logout] button"
    astray = "/login/?next="

    @property
    def secrets(self) -> Path:
        return self.place / "environment"

    @property
    def client_id(self) -> str:
        return re.search("^CLIENT_ID=(.*)$", self.secrets.read_text(), re.MULTILINE)[1]


SITES = {site.name: site for site in (ModAuthOpenIDC, Django)}


@pytest.fixture(scope="module", params=SITES)
def site(request, server, folder):
    site = SITES[request.param](server, folder)
    site.readme.run()
    try:
        yield site.start()
    finally:
        print(site.tail())  # shown where a test fails
        site.example.stop()


@pytest.fixture
def browser(folder):
    browser = Chromium(Path(mkdtemp(dir=folder)), {})
    yield browser
    browser.close()


def known(browser: Chromium, selector: str) -> str:
    return browser.element(selector).text


def part(token: str, number: int) -> dict:
    return json.loads(urlsafe_b64decode(token.split(".")[number] + "=="))


def asks_again(browser: Chromium, site: Site) -> bool:
    browser.open(site.home + site.private)
    return browser.url.startswith(f"{site.server.issuer}/login")


def test_log_in_and_out(server, site, browser):
    """From the page that asks for it; the claims are shown as text. Logout leads over the provider to the start page, and ends the session there too."""
    name = person(server)
    server.admin("accounts", "update", name, "--name", "Ada <b>Lovelace</b>")

    browser.open(f"{site.home}/")
    browser.click("main a, main button")
    log_in(browser, name)

    assert browser.url == site.home + site.private, site.tail()
    assert known(browser, "#email") == f"{name}@example.org" and known(browser, "#name") == "Ada <b>Lovelace</b>" and known(browser, "#sub")
    assert not browser.complaints()

    browser.click(site.log_out)
    assert browser.url.split("?")[0] == f"{site.home}/", browser.text
    assert asks_again(browser, site)


def test_who_logs_out_at_the_provider_is_logged_out_there(server, site, browser):
    """Back-channel logout: the application is told, and asks again."""
    browser.open(site.home + site.private)
    log_in(browser, person(server))
    assert browser.url == site.home + site.private

    browser.open(f"{server.issuer}/logout")
    browser.click("button[value=logout]")

    assert eventually(lambda: asks_again(browser, site)), site.tail()


def test_who_refuses_consent_sees_nothing(server, site, browser):
    """The page says so, and is not the one that was asked for."""
    browser.open(site.home + site.private)
    browser.type(username=person(server), password=PASSWORD)
    browser.click("main button")
    browser.click("button[value=deny]")

    assert browser.url.startswith(site.home) and "You are not logged in" in browser.text
    assert not browser.driver.find_elements("id", "email")


@pytest.mark.parametrize("cookies", [{}, {"mod_auth_openidc_session": "0" * 36, "sessionid": "0" * 32}], ids=["without a cookie", "with one that was made up"])
def test_nobody_sees_the_page_by_asking(site, cookies):
    """The way to the provider, with PKCE, and nothing of the page."""
    answer = requests.get(site.home + site.private, cookies=cookies, allow_redirects=False, timeout=30)
    while answer.headers["Location"].startswith("/"):
        assert answer.status_code == 302 and 'id="email"' not in answer.text
        answer = requests.get(site.home + answer.headers["Location"], cookies=answer.cookies, allow_redirects=False, timeout=30)

    assert answer.status_code == 302 and answer.headers["Location"].startswith(f"{site.server.issuer}/authorize?")
    assert "code_challenge_method=S256" in answer.headers["Location"]


def test_nobody_is_led_astray(server, site, browser):
    """By an address that comes with the request."""
    browser.open(site.home + site.astray + quote("https://evil.example.org/", ""))
    if browser.driver.find_elements("name", "password"):
        log_in(browser, person(server))

    assert browser.url.startswith(f"{site.home}/") and "evil" not in browser.url.split("?")[0]


def test_secrets_are_for_their_owner(site):
    assert site.secrets.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("site", ["mod_auth_openidc"], indirect=True)
def test_apache_with_tls(site):
    """With CERTIFICATE defined: the same site over TLS, to which people come back."""
    certificate, key = Authority("notes").leaf(site.folder, "notes", "localhost")
    together, port = site.place / "notes.pem", free_port()
    together.write_bytes(certificate.read_bytes() + key.read_bytes())
    secure = site.place / "secure"
    shutil.copytree(site.place, secure, ignore=shutil.ignore_patterns("secure", "apache.pid"))
    settings = re.sub(rf"localhost:{site.port}|\b{site.port}\b", lambda found: found[0].replace(str(site.port), str(port)), site.secrets.read_text())
    settings = settings.replace("SITE http:", "SITE https:").replace(f"FOLDER {site.place}", f"FOLDER {secure}")
    (secure / "settings.conf").write_text(settings + f"Define CERTIFICATE {together}\n")
    prefix, apache = site.prefix(), Example(port, site.folder / "secure.log")
    apache.start([*prefix, "/usr/sbin/apache2", "-d", secure, "-f", "apache.conf", "-D", "FOREGROUND"])
    try:
        answer = requests.get(f"https://localhost:{port}/private/", verify=certificate, allow_redirects=False, timeout=30)

        assert answer.status_code == 302 and quote(f"https://localhost:{port}/private/callback", "") in answer.headers["Location"], apache.tail()
        assert "Secure" in answer.headers["Set-Cookie"] and "max-age" in answer.headers["Strict-Transport-Security"]
    finally:
        apache.stop()


@pytest.mark.parametrize("site", ["django"], indirect=True)
def test_only_logout_tokens_of_the_provider_end_a_session(server, site, browser):
    """Not one by somebody else's key, and not an ID token, though the provider signed it."""
    name = person(server)
    browser.open(site.home + site.private)
    log_in(browser, name)
    token = id_token(site, browser)
    browser.open(site.home + site.private)
    claims = {"iss": server.issuer, "aud": site.client_id, "iat": now(), "exp": now() + 60, "jti": new_id(), "sid": part(token, 1)["sid"],
              "events": {"http://schemas.openid.net/event/backchannel-logout": {}}}
    forged = signed(new_key(), claims, typ="logout+jwt", kid=part(token, 0)["kid"])

    for logout_token in (forged, token, "", "a.b.c", None):
        answer = requests.post(f"{site.home}/backchannel-logout/", data={"logout_token": logout_token}, timeout=30)
        assert answer.status_code == 400 and answer.headers["Cache-Control"] == "no-store"

    browser.open(site.home + site.private)
    assert known(browser, "#email") == f"{name}@example.org"


def id_token(site: Site, browser: Chromium) -> str:
    """That of the person who is logged in: logging out shows it to the provider. They are logged in anew afterwards."""
    cookies = {cookie["name"]: cookie["value"] for cookie in browser.driver.get_cookies()}
    form = {"csrfmiddlewaretoken": browser.element("[name=csrfmiddlewaretoken]").get_attribute("value")}
    answer = requests.post(f"{site.home}/logout/", data=form, cookies=cookies, headers={"Referer": site.home}, allow_redirects=False, timeout=30)
    return dict(parse_qsl(urlsplit(answer.headers["Location"]).query))["id_token_hint"]
