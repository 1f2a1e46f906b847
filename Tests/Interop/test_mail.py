"""Mail through a real mail server, and its links clicked in a real Chromium, without JavaScript. How their pages look is for test_people_walk."""
from __future__ import annotations

import secrets
import ssl
import tempfile
from pathlib import Path

import pytest
import requests

from browsing import Browser
from chromium import Chromium
from postbox import Mailbox, link, text
from phone import PASSWORD, Phone, Release
from server import Cluster, Server
from test_tls import Authority
from waiting import eventually

NEXT = "quite another long phrase"


@pytest.fixture(scope="module")
def mailbox():
    mailbox = Mailbox()
    yield mailbox
    mailbox.close()


@pytest.fixture(scope="module")
def cluster(folder):
    cluster = Cluster(Path(tempfile.mkdtemp(dir=folder)) / "postgres")
    try:
        yield cluster.start()
    finally:
        cluster.discard()


@pytest.fixture(scope="module")
def mailing(folder, cluster, mailbox) -> Server:
    """A server that sends mail."""
    server = Server(folder / "mailing", cluster.url("mailing"), PANDO_MAIL_SERVER=f"smtp://127.0.0.1:{mailbox.port}", PANDO_MAIL_TLS="none",
                    PANDO_MAIL_FROM="Pando <no-reply@example.org>")
    server.folder.mkdir(exist_ok=True)
    yield server.start()
    server.clear()


@pytest.fixture(scope="module")
def browser(folder, application) -> Chromium:
    chromium = Chromium(folder / "mail-profile", {}, scripts=False)
    yield chromium
    chromium.close()


def invite(server: Server, *more: str) -> tuple[str, str]:
    name = f"m{secrets.token_hex(5)}"
    invited = server.admin("accounts", "invite", "--username", name, "--email", f"{name}@example.org", *more)
    assert invited["mailed"] is True and "/recover/password?link=" in invited["link"]
    return name, f"{name}@example.org"


def set_password(chromium: Chromium, address: str, password: str) -> None:
    chromium.open(address)
    chromium.type(new=password, again=password)
    chromium.click("form button")


def log_in(chromium: Chromium, server: Server, name: str, password: str) -> None:
    # It stays a browser that the account is known in, so there is no letter about that.
    chromium.driver.delete_cookie("pando_session")
    chromium.open(f"{server.issuer}/account")
    chromium.type(username=name, password=password)
    chromium.click("form[action='/login'] button")


@pytest.fixture(scope="module")
def person(mailing, mailbox, browser) -> tuple[str, str]:
    """Invited, with a password, logged in with the browser."""
    name, address = invite(mailing, "--language", "de")
    message = mailbox.next(address)
    assert message["Subject"] == "Ihr Konto ist bereit" and "no-reply@example.org" in message["From"]
    set_password(browser, link(message, "password"), PASSWORD)
    mailbox.next(address)
    log_in(browser, mailing, name, PASSWORD)
    assert browser.url == f"{mailing.issuer}/account"
    return name, address


def test_a_reset(mailing, mailbox, browser, person):
    name, address = person
    browser.open(f"{mailing.issuer}/login?return_to=/account&again=1")
    browser.click("a[href='/recover']")
    browser.type(name=address)
    browser.click("form button")
    reset = link(mailbox.next(address), "password")
    assert requests.get(reset, timeout=10).status_code == 200, "a scanner looks first"
    set_password(browser, reset, NEXT)
    assert requests.get(reset, timeout=10).status_code == 404
    log_in(browser, mailing, name, PASSWORD)
    assert browser.url.startswith(f"{mailing.issuer}/login"), "the old password is worth nothing"
    log_in(browser, mailing, name, NEXT)
    assert browser.url == f"{mailing.issuer}/account"

    changed = mailbox.next(address)
    browser.open(link(changed, "cut"))
    browser.click("form button")
    set_password(browser, link(mailbox.next(address), "password"), PASSWORD)
    mailbox.next(address)
    log_in(browser, mailing, name, PASSWORD)
    assert browser.url == f"{mailing.issuer}/account"


def test_an_address_is_confirmed(mailing, mailbox, browser, person):
    name, address = person
    log_in(browser, mailing, name, PASSWORD)
    browser.open(f"{mailing.issuer}/account/email")
    browser.type(email=f"new.{address}")
    browser.click("form button")
    browser.open(link(mailbox.next(f"new.{address}"), "address"))
    assert mailing.admin("accounts", "show", name)["email"] == address, "looking changes nothing"
    browser.click("form button")
    shown = mailing.admin("accounts", "show", name)
    assert shown["email"] == f"new.{address}" and shown["email_verified"] is True
    browser.open(link(mailbox.next(address), "cut"))
    browser.click("form button")
    assert mailing.admin("accounts", "show", name)["email"] == address
    set_password(browser, link(mailbox.next(address), "password"), PASSWORD)
    mailbox.next(address)


def test_a_new_phone_is_told_of(mailing, mailbox, browser, person):
    name, address = person
    phone = Phone(mailing.issuer, Release.add(mailing), name="Fairphone").register()
    phone.log_in(name)
    message = mailbox.next(address)
    assert "Fairphone" in text(message) and message.get_content_type() == "multipart/alternative"
    browser.open(link(message, "cut"))
    browser.click("form button")
    live = mailing.admin("instances", "list", "--account", name)["items"]
    assert [instance for instance in live if instance["status"] == "live"] == []


def test_nobody_learns_who_is_there(mailing, mailbox, person):
    name, address = person
    pages = set()
    for typed in (name, address, "nobody-here", "nobody-here@example.org"):
        walker = Browser(mailing.issuer, name)
        page = walker.open(f"{mailing.issuer}/recover")
        pages.add(walker.submit(page, page.forms[0], name=typed).text)
    assert len(pages) == 1
    mailbox.next(address)


def test_a_server_that_is_away_gets_it_later(mailing, mailbox):
    mailbox.answer = "451 4.3.0 not now"
    name, address = invite(mailing)
    assert eventually(lambda: mailbox.refused > 0, within_s=20)
    assert address not in mailing.log.read_text(errors="replace")
    mailbox.answer = None
    link(mailbox.next(address, within_s=60), "password")


def test_tls_and_a_login(folder, cluster, tmp_path):
    """STARTTLS by an authority of one's own, and a login; what is not encrypted is not sent."""
    authority = Authority("mail authority")
    (tmp_path / "ca.pem").write_bytes(authority.own)
    certificate, key = authority.leaf(tmp_path, "mail", "localhost")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    (tmp_path / "password").write_text("secret of the mailer\n")
    mailbox = Mailbox(context, ("mailer", "secret of the mailer"))
    server = Server(folder / "mailing-tls", cluster.url("mailing_tls"), PANDO_MAIL_SERVER=f"smtp://localhost:{mailbox.port}",
                    PANDO_MAIL_FROM="no-reply@example.org", PANDO_MAIL_USER="mailer", PANDO_MAIL_PASSWORD_FILE=str(tmp_path / "password"),
                    PANDO_MAIL_CA=str(tmp_path / "ca.pem"))
    server.folder.mkdir(exist_ok=True)
    try:
        server.start()
        _, address = invite(server)
        link(mailbox.next(address), "password")
    finally:
        server.clear()
        mailbox.close()


@pytest.mark.parametrize("settings, words", [
    ({"PANDO_MAIL_SERVER": "https://mail.example.org", "PANDO_MAIL_FROM": "a@example.org"}, "mail-server"),
    ({"PANDO_MAIL_SERVER": "smtp://mail.example.org"}, "mail-from"),
    ({"PANDO_MAIL_SERVER": "smtp://mail.example.org", "PANDO_MAIL_FROM": "a@example.org", "PANDO_MAIL_TLS": "none"}, "mail-tls"),
    ({"PANDO_MAIL_SERVER": "smtp://mail.example.org", "PANDO_MAIL_FROM": "a@example.org", "PANDO_MAIL_USER": "a"}, "mail-password-file"),
    ({"PANDO_MAIL_FROM": "a@example.org"}, "mail-from")])
def test_settings_that_cannot_stand(server, settings, words):
    finished = server.run("admin", "--json", "accounts", "list", **settings)
    assert finished.returncode == 5 and words in finished.stderr, finished.stdout + finished.stderr
