"""A real Chromium walks login, consent, application, account, device and logout; each page on its way is looked at, and pictured for desktop and phone.

Pictures go to .pando/screens; `make interop ARGS=--screens` rewrites those in Tests/Interop/screens, which are committed.
"""
from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import quote

import pytest
import requests

from application import GOODBYE, HOME, HOST, Application
from browsing import Browser
from chromium import Chromium
from clients import DEVICE, web_client
from phone import PASSWORD, Phone, Release, person
from server import Server
from waiting import eventually
from walking import COMMITTED, Walk, only, pictures_are_of, screens

ALSO_DARK = ("login", "consent", "account")
PAGES = ("application", "login", "login-wrong", "login-de", "login-fr", "login-it", "login-again", "consent", "application-logged-in", "account",
         "account-withdrawn", "password", "device", "device-unknown", "device-confirm", "device-connected", "logout", "logged-out", "application-told",
         "application-goodbye", "problem", "home")


@pytest.fixture(scope="module")
def anna(server) -> str:
    """Somebody with a name, a phone, and a browser elsewhere."""
    server.admin("accounts", "create", "--username", "anna.muster", "--password-stdin", "--email", "anna.muster@example.org", "--name", "Anna Muster",
                 "--given-name", "Anna", "--family-name", "Muster", stdin=PASSWORD)
    server.admin("apps", "create", "org.example.pocket", "--name", "Pocket")
    described = {"name": "Anna’s phone", "device_type": "Fairphone 6", "os_version": "Android 16"}
    Phone(server.issuer, Release.add(server, "org.example.pocket", "3"), **described).register().log_in("anna.muster")
    elsewhere = Browser(server.issuer, "anna.muster")
    elsewhere.cookies.headers["User-Agent"] = "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/604.1"
    assert elsewhere.walk(f"{server.issuer}/account").status == 200
    return "anna.muster"


@pytest.fixture(scope="module")
def walk(server, application, anna, chromium, request) -> Walk:
    """The whole way, once; the tests below ask what was found."""
    walk = Walk(chromium, screens(request.config), ALSO_DARK)
    log_in(walk, server, anna)
    own_pages(walk, server)
    device(walk, server)
    log_out(walk, server, application, anna)
    for language, words in {"de": "Anmelden", "fr": "Connexion", "it": "Accesso"}.items():
        chromium.speak(f"{language}-CH, {language};q=0.9, en;q=0.5")
        chromium.open(f"{HOME}/login")
        walk.look(f"login-{language}", words)
        assert chromium.ask("document.documentElement.lang") == language
    return walk


def log_in(walk: Walk, server: Server, name: str) -> None:
    """Application, login with a wrong and the right password, consent, application with the person's name."""
    chromium = walk.chromium
    chromium.open(f"{HOME}/")
    walk.look("application", "Courses for everyone")
    chromium.click("a.button")
    walk.look("login", "Log in", "to continue to Learn", HOST)
    chromium.type(username=name, password="not the right one")
    chromium.click("main button")
    walk.look("login-wrong", "not correct")
    chromium.type(password=PASSWORD)
    chromium.click("main button")
    walk.look("consent", "Learn", "Anna Muster", "anna.muster@example.org")
    chromium.click("button[value=allow]")
    assert chromium.url == f"{HOME}/"
    walk.look("application-logged-in", "Good morning, Anna Muster", "anna.muster@example.org")


def own_pages(walk: Walk, server: Server) -> None:
    """The person's account, a login again where the application wants to be sure, and what goes wrong."""
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/account")
    walk.look("account", "Anna’s phone", "Learn", "Chrome on Linux", "this browser", "Safari")
    chromium.click("a[href='/account/password']")
    walk.look("password", "Change password")
    chromium.open(f"{HOME}/login?prompt=login")
    walk.look("login-again", "once more")
    chromium.open(f"{server.issuer}/authorize?client_id=nobody")
    walk.look("problem", "cannot be answered", "client_id")
    chromium.open(f"{server.issuer}/")
    walk.look("home")


def device(walk: Walk, server: Server) -> None:
    """RFC 8628 as its person sees it: a code typed wrongly, then rightly, and the question."""
    television = web_client(server, "Television", redirect="https://television.example.org/", grants=(DEVICE,), auth="none")
    begun = requests.post(f"{server.issuer}/device_authorization", data={"client_id": television["client_id"], "scope": "openid profile"}, timeout=20).json()
    chromium = walk.chromium
    chromium.open(begun["verification_uri"])
    walk.look("device", "Connect a device")
    chromium.type(user_code="BBBB-BBBB")
    chromium.click("main button")
    walk.look("device-unknown", "not known")
    chromium.type(user_code=begun["user_code"].lower())
    chromium.click("main button")
    walk.look("device-confirm", "Television", begun["user_code"], "Did someone send you this code?")
    chromium.click("button[value=allow]")
    walk.look("device-connected", "connected")


def withdraw(chromium: Chromium) -> None:
    """The question, and its answer."""
    chromium.element("details:has(form[action='/account/withdraw']) > summary").click()
    chromium.click("form[action='/account/withdraw'] button")


def log_out(walk: Walk, server: Server, application: Application, name: str) -> None:
    """By the account page, which the application hears of; then by the application, which gets its visitor back."""
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/logout")
    walk.look("logout", "Log out?")
    chromium.click("button[value=logout]")
    walk.look("logged-out", "You are logged out")
    assert eventually(lambda: application.learn.ended), "the application was not told"
    chromium.open(f"{HOME}/")
    walk.look("application-told", "You were logged out", "we were told")
    chromium.click("a.button")
    chromium.type(username=name, password=PASSWORD)
    chromium.click("main button")
    assert "Good morning" in chromium.text, "the consent stands: nothing is asked again"
    chromium.click("a.button")
    assert chromium.url.startswith(GOODBYE)
    walk.look("application-goodbye", "See you soon")
    chromium.open(f"{HOME}/login")
    chromium.type(username=name, password=PASSWORD)
    chromium.click("main button")
    chromium.open(f"{server.issuer}/account")
    withdraw(chromium)
    walk.look("account-withdrawn", "withdrawn")
    chromium.open(f"{server.issuer}/logout")
    chromium.click("button[value=logout]")


def test_every_page_was_seen(walk):
    assert sorted(walk.pages) == sorted(PAGES)


def test_no_page_complains(walk):
    """No error in the console, and nothing that the content security policy had to forbid."""
    assert not only(walk.findings.complaints)


def test_pages_fit_320_pixels(walk):
    assert not only(walk.findings.too_wide)


def test_text_can_be_read(walk):
    """4.5:1, and 3:1 for large text, in the light and the dark."""
    assert not only(walk.findings.faint)


def test_everything_has_a_name(walk):
    """As a screen reader sees it: fields, buttons and links; one main part, one heading of the page."""
    assert not only(walk.findings.nameless)


def test_the_tab_key_reaches_everything(walk):
    """In the order of the page, with a ring around where one is."""
    assert not only(walk.findings.out_of_reach)


def test_pictures(walk):
    """One of each page for desktop and phone; those that are committed are of the same pages, and small."""
    for folder in {walk.screens, COMMITTED}:
        pictures_are_of(folder, PAGES, ALSO_DARK, leaving=("tiqr-", "operations-", "passkey-", "tree-"))


def test_the_checks_can_find_something(walk, chromium):
    """What makes the silence above worth something: a page on which everything is wrong."""
    chromium.open("data:text/html," + quote("""
        <meta http-equiv="Content-Security-Policy" content="img-src 'none'"><img src="https://learn.example.org/x.png">
        <p style="color: #999; width: 60rem">hardly to be read</p>
        <input name="a"><button tabindex="-1">out of reach</button><a href="/" style="outline: none">no ring</a>"""))

    assert any("Content Security Policy" in complaint for complaint in chromium.complaints())
    assert chromium.too_wide() and chromium.faint() and len(chromium.nameless()) == 4
    assert {found.split(":")[0] for found in chromium.out_of_reach()} == {"not reached", "out of order", "no ring"}


def test_nothing_needs_scripts(server, application, folder):
    """Scripts are off: login, consent, account and logout go as well without."""
    chromium, name = Chromium(Path(mkdtemp(dir=folder)), {HOST: application.port}, scripts=False), person(server)
    try:
        chromium.open("data:text/html," + quote("<title>off</title><script>document.title = 'on'</script>"))
        assert chromium.driver.title == "off"
        chromium.open(f"{HOME}/login")
        chromium.type(username=name, password=PASSWORD)
        chromium.click("main button")
        chromium.click("button[value=allow]")
        assert f"{name}@example.org" in chromium.text
        chromium.open(f"{server.issuer}/account")
        withdraw(chromium)
        assert "withdrawn" in chromium.text
        chromium.click("a[href='/logout']")
        chromium.click("button[value=logout]")
        assert "You are logged out" in chromium.text and not chromium.complaints()
    finally:
        chromium.close()
