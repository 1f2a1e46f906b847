"""Passkeys as their person sees them: a real Chromium with its virtual authenticator sets one up, logs in with it, and is asked for it as second factor.

Each page is looked at as in test_browser, and pictured as passkey-*. Everything here is found by address, field and role, not by the order on the page.
"""
from __future__ import annotations

from contextlib import contextmanager
from urllib.parse import urlencode, urlsplit

import pytest

from application import HOME, Application
from authenticator import Authenticator
from chromium import Chromium
from household import ask, end, opened
from phone import PASSWORD, person
from seeing import MFA, SOON_S, essential, forget, goes_on, log_in, look_in_german, one_factor_is_enough, says, somebody_who, text
from server import Server
from waiting import eventually
from walking import Looked, Walk, screens

PAGES = ("passkey-login", "passkey-add", "passkey-account", "passkey-name", "passkey-renamed", "passkey-wait", "passkey-wait-de", "passkey-refused", "passkey-cancelled",
         "passkey-removed", "passkey-unknown")
USE, ADD, NAME = "form[data-passkey] button", "a[href*='/account/passkeys/add']", "a[href*='/account/passkeys/name']"
REMOVING = "/account/passkeys/remove"
REMOVE, SUBMIT, ANYBODY = f"form[action='{REMOVING}'] button", "main form button", "/login/passkey?return_to=/account"
REFUSED, CANCELLED = "This passkey could not be checked", "No passkey was used"


# What a person does


def somebody(server: Server, chromium: Chromium) -> str:
    """With a passkey, and a browser that was never here."""
    return somebody_who(server, chromium, "/account/passkeys/add", lambda: chromium.click(USE))


def by_passkey(server: Server, chromium: Chromium) -> None:
    """Without a name, by a browser that was never here, until it has an answer from the server."""
    forget(chromium)
    chromium.open(server.issuer + ANYBODY)
    chromium.click(USE)


@contextmanager
def offering_nothing(chromium: Chromium):
    """As a browser without conditional UI: there only the button asks."""
    source = "PublicKeyCredential.isConditionalMediationAvailable = async () => false"
    script = chromium.devtools("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]
    yield
    chromium.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


def is_asked(chromium: Chromium) -> bool:
    return eventually(lambda: urlsplit(chromium.url).path == "/login/passkey" and chromium.has_arrived(), within_s=SOON_S)


def log_out(server: Server, chromium: Chromium) -> None:
    chromium.open(f"{server.issuer}/logout")
    chromium.click("button[value=logout]")


# The walk with pictures


@pytest.fixture(scope="module")
def walk(server, chromium, request) -> Walk:
    """The whole way of one person and one passkey; the tests below ask what was found."""
    server.admin("accounts", "create", "--username", "dora.demir", "--password-stdin", "--email", "dora.demir@example.org", "--name", "Dora Demir", stdin=PASSWORD)
    walk, authenticator = Walk(chromium, screens(request.config)), Authenticator(chromium)
    add(walk, server, authenticator)
    rename(walk, server)
    log_out(server, chromium)
    without_a_name(walk, server, authenticator)
    refused(walk, server, authenticator)
    cancelled(walk, server, authenticator)
    remove(walk, server)
    authenticator.remove()
    return walk


def add(walk: Walk, server: Server, authenticator: Authenticator) -> None:
    """From the account page to the passkey that is listed there."""
    chromium = walk.chromium
    forget(chromium)
    chromium.open(f"{server.issuer}/account")
    walk.look("passkey-login", "Log in with a passkey")
    log_in(chromium, "dora.demir")
    chromium.click(ADD)
    walk.look("passkey-add", "Set up a passkey", "No false page can take it from you")
    chromium.type(name="My laptop")
    chromium.click(USE)
    assert goes_on(chromium, f"{server.issuer}/account"), text(chromium)
    walk.look("passkey-account", "Your passkey is set up", "Passkeys", "My laptop")
    [made] = authenticator.credentials
    assert made["rpId"] == "localhost" and made["isResidentCredential"] and made["userHandle"], "it is found without a name"


def rename(walk: Walk, server: Server) -> None:
    """Asked for the passkey first, its person comes back to the page that they asked for."""
    chromium = walk.chromium
    chromium.click(NAME)
    # One factor was shown so far, and now there are two: whoever changes passkeys shows one.
    assert is_asked(chromium), chromium.url
    chromium.click(USE)
    assert goes_on(chromium, f"{server.issuer}/account/passkeys/name"), chromium.url
    walk.look("passkey-name", "Name this passkey")
    chromium.type(name="Work laptop")
    chromium.click(SUBMIT)
    walk.look("passkey-renamed", "The passkey has its new name", "Work laptop")


def without_a_name(walk: Walk, server: Server, authenticator: Authenticator) -> None:
    """Three times: the browser offers it at the login page by itself; by the button there, where the browser offers nothing; and at the page that asks for nothing else."""
    chromium, account = walk.chromium, f"{server.issuer}/account"
    forget(chromium)
    chromium.open(account)
    assert goes_on(chromium, account) and eventually(lambda: "Dora Demir" in text(chromium) or "dora.demir" in text(chromium)), "conditional UI: nothing is clicked"

    forget(chromium)
    with offering_nothing(chromium):
        chromium.open(account)
        assert chromium.element("[name=password]") and "webauthn" in chromium.element("[name=username]").get_attribute("autocomplete")
        chromium.click(USE)
        assert goes_on(chromium, account), text(chromium)

    forget(chromium)
    chromium.open(server.issuer + ANYBODY)
    assert not chromium.driver.find_elements("css selector", "[name=password]")
    walk.look("passkey-wait", "Log in with a passkey", "These stay on your device")
    chromium.click(USE)
    assert goes_on(chromium, account), text(chromium)
    forget(chromium)
    look_in_german(walk, server.issuer + ANYBODY, "passkey-wait-de", "Mit einem Passkey anmelden", until=lambda _: None)


def refused(walk: Walk, server: Server, authenticator: Authenticator) -> None:
    """A signature that is none; and one over the word that nobody was verified, which is as right as can be."""
    chromium = walk.chromium
    authenticator.answers(isBogusSignature=True)
    by_passkey(server, chromium)
    walk.look("passkey-refused", REFUSED)
    authenticator.answers(isBogusSignature=False, isBadUV=True)
    by_passkey(server, chromium)
    assert REFUSED in chromium.text and "/login/passkey" in chromium.url
    with offering_nothing(chromium):
        chromium.open(f"{server.issuer}/account")
        assert chromium.element("[name=password]") and not chromium.driver.find_elements("css selector", REMOVE), "nobody is logged in"
    authenticator.answers(isBogusSignature=False, isBadUV=False)


def cancelled(walk: Walk, server: Server, authenticator: Authenticator) -> None:
    """The authenticator does not recognise its owner: nothing is sent, and the page says what happened."""
    chromium = walk.chromium
    authenticator.recognises(False)
    forget(chromium)
    chromium.open(server.issuer + ANYBODY)
    chromium.element(USE).click()
    assert says(chromium, CANCELLED), text(chromium)
    walk.look("passkey-cancelled", CANCELLED)
    authenticator.recognises(True)
    chromium.click(USE)
    assert goes_on(chromium, f"{server.issuer}/account"), "the same page asks again"


def remove(walk: Walk, server: Server) -> None:
    """By who has shown it; from then on it is known to nobody."""
    chromium = walk.chromium
    ask(chromium, REMOVING)
    assert "Nobody can log in here any more" in chromium.text and "This cannot be undone" in chromium.text
    chromium.click(f"{opened(REMOVING)}[open] form button")
    walk.look("passkey-removed", "The passkey is removed", "No passkey is set up")
    assert not chromium.driver.find_elements("css selector", REMOVE)
    by_passkey(server, chromium)
    walk.look("passkey-unknown", "This passkey is not known here any more")


class TestPasskeyPages(Looked):
    pages, prefix = PAGES, "passkey-"


# What else must hold


def test_a_passkey_alone_is_two_factors(server, application, chromium, authenticator):
    """Where an application cannot do without two, no password is asked for."""
    somebody(server, chromium)
    # The browser's own offer is taken: nothing is clicked.
    chromium.open(f"{HOME}/login?" + urlencode({"claims": essential(MFA)}))
    allowed(application, chromium)


def test_step_up(server, application, chromium, authenticator):
    """One factor is enough for a login, until an application cannot do without two: then this person's passkey is asked for, not the password again."""
    name = somebody(server, chromium)
    authenticator.is_touched(False)
    one_factor_is_enough(application, chromium, name)
    chromium.open(f"{HOME}/login?" + urlencode({"claims": essential(MFA)}))
    assert is_asked(chromium) and not chromium.driver.find_elements("css selector", "[name=password]"), chromium.url
    authenticator.is_touched(True)
    chromium.click(USE)
    allowed(application, chromium)


def allowed(application: Application, chromium: Chromium) -> None:
    """Arrives at the application, which learns that there were two factors."""
    if eventually(lambda: chromium.driver.find_elements("css selector", "button[value=allow]"), within_s=3):
        chromium.click("button[value=allow]")
    assert goes_on(chromium, f"{HOME}/"), text(chromium)
    claims = application.learn.tokens[-1]["userinfo"]
    assert claims["acr"] == MFA and {"mfa", "swk"} <= set(claims["amr"])


def test_an_account_that_asks_for_a_passkey(server, chromium, authenticator):
    """Its person is led to setting one up, then asked for it behind the password; the last one stays."""
    name, account = person(server), f"{server.issuer}/account"
    server.admin("accounts", "update", name, "--require-factor", "passkey")
    authenticator.is_touched(False)
    forget(chromium)
    chromium.open(account)
    log_in(chromium, name)
    assert "This account asks for a login with a passkey" in chromium.text, chromium.url
    authenticator.is_touched(True)
    chromium.click(USE)
    # A new one raises nobody's session: it is asked for at once.
    assert is_asked(chromium), chromium.url
    chromium.click(USE)
    assert goes_on(chromium, account), text(chromium)

    authenticator.is_touched(False)
    forget(chromium)
    chromium.open(account)
    log_in(chromium, name)
    assert is_asked(chromium), chromium.url
    authenticator.is_touched(True)
    chromium.click(USE)
    assert goes_on(chromium, account), text(chromium)
    end(chromium, REMOVING)
    assert "This is your last passkey" in chromium.text and chromium.element(REMOVE)


def test_a_copy_is_told(server, chromium, authenticator):
    """Whose counter is behind that of the other: it is refused, says so, and the account page marks the passkey."""
    somebody(server, chromium)
    [copy] = authenticator.credentials
    for _ in range(2):
        by_passkey(server, chromium)
        assert goes_on(chromium, f"{server.issuer}/account"), text(chromium)
    [original] = authenticator.credentials
    authenticator.forget(original)
    authenticator.take_in(copy)
    by_passkey(server, chromium)
    assert "There may be a copy of this passkey" in chromium.text, chromium.text


def test_one_passkey_a_device(server, chromium, authenticator):
    """The authenticator that has one for this account already says so, and nothing changes."""
    somebody(server, chromium)
    by_passkey(server, chromium)
    chromium.open(f"{server.issuer}/account/passkeys/add")
    chromium.element(USE).click()
    assert says(chromium, "This device has a passkey for your account already"), text(chromium)
    assert len(authenticator.credentials) == 1


def test_without_scripts(server, another_browser):
    """Passkeys need them: the page says so, and the password is there as always."""
    plain = another_browser(scripts=False)
    plain.open(f"{server.issuer}/account")
    assert "Passkeys need JavaScript" in plain.text
    log_in(plain, person(server))
    assert goes_on(plain, f"{server.issuer}/account")
