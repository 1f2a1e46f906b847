"""Logging in by a code that a wallet scans, at a real Chromium: with the script that listens, and without scripts in each of four languages."""
from __future__ import annotations


import pytest

import seeing

from barriers import barriers
from chromium import Chromium
from looking import Looks
from phone import person
from seeing import SOON_S, forget
from server import CHECKOUT, Server
from wallet import Wallet
from waiting import eventually

CODE, ALLOW, DENY, AGAIN = "/login/wallet?return_to=/account", "button[value=allow]", "button[value=deny]", "form[action='/login/wallet/again'] button"
# The question, and what is said where it was answered with no.
WORDS = {
    "en": ("Is this your wallet?", "Nobody was logged in"), "de": ("Ist das Ihre Wallet?", "Niemand wurde angemeldet"),
    "fr": ("Est-ce votre portefeuille", "Personne n’a été connecté"), "it": ("È il Suo wallet?", "Nessuno è stato connesso"),
}


def linked(server: Server) -> Wallet:
    """One that somebody has linked. How that is done is the business of other tests."""
    name, wallet = person(server), Wallet(server.issuer)
    assert wallet.register().status_code == 201
    server.sql(f"insert into passkey_link (credential, account, linked_at) select '\\x{wallet.id.hex()}', a.id, now() from account a where a.username = '{name}'")
    return wallet


def scan(wallet: Wallet, chromium: Chromium) -> None:
    """What the code says, as the link beside it does."""
    link = chromium.ask("document.querySelector('a[href^=\"liquid:\"]').getAttribute('href')")
    assert link.startswith("liquid://localhost"), link
    assert wallet.log_in(link.split("requestId=")[1]).status_code == 201


def test_the_page_hears_of_the_wallet_and_its_person_says_yes(server, chromium):
    """From the login page to the account page; the code is seen by everybody."""
    wallet = linked(server)
    forget(chromium)
    chromium.open(f"{server.issuer}/login?return_to=/account")
    chromium.click("a[href^='/login/wallet']")
    assert chromium.too_wide() + chromium.faint() + chromium.faint(dark=True) + chromium.nameless() + barriers(chromium) == []
    scan(wallet, chromium)
    assert eventually(lambda: wallet.address in chromium.text, within_s=SOON_S), chromium.text
    chromium.click(ALLOW)
    assert chromium.url == f"{server.issuer}/account" and chromium.complaints() == []


@pytest.mark.parametrize("language", WORDS)
def test_without_scripts_the_page_goes_on_by_itself_and_each_is_right_in_every_light(server, plain, request, language):
    """No, then another code, then yes."""
    question, declined = WORDS[language]
    wallet, stranger = linked(server), linked(server)
    looks = Looks(plain, language, every=language == "en", pictures=CHECKOUT / ".pando/screens" if request.config.getoption("--screens") else None)
    forget(plain)
    plain.speak(f"{language}-CH, {language};q=0.9" if language != "en" else "en")
    plain.open(server.issuer + CODE)
    scan(stranger, plain)
    assert eventually(lambda: stranger.address in seeing.text(plain), within_s=SOON_S), plain.text
    looks.look("wallet-question", question)
    plain.click(DENY)
    looks.look("wallet-declined", declined)
    plain.click(AGAIN)
    scan(wallet, plain)
    assert eventually(lambda: wallet.address in seeing.text(plain), within_s=SOON_S), plain.text
    plain.click(ALLOW)
    assert plain.url == f"{server.issuer}/account"
    assert {page: found for page, found in looks.found.items() if found} == {}
