"""A person at a real Chromium, without scripts, in each of four languages: ends a branch, and what was somebody else's; forgets a password; exports; deletes the account.

Each walk must come to what it is for, and each of its pages is seen in light and dark, narrow and wide. What only one of these pages does is tested
where the page is: test_account_tree, test_mail, test_data_browser.
"""
from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests

from chromium import Chromium
from household import BUNDLE, LOST, MINE, Household, opened
from looking import Looks, runs_scripts
from phone import PASSWORD, Release
from postbox import Mailbox, link, text
from seeing import forget
from server import CHECKOUT, Cluster, CommandFailed, Server

NEXT = "quite another long phrase"
PAGES = {"login", "account", "branch-question", "branch-ended", "everywhere-question", "service-ended", "activity", "not-me", "phone-ended", "told",
         "cut-phone", "phone-cut", "recover", "recover-asked", "new-password", "new-password-wrong", "password-set", "cut-password", "password-cut", "link-over",
         "data", "export", "delete", "delete-wrong", "deleted"}
EVERYWHERE = opened("/account/services/end")
BRANCH = ".branches .branches details:has(form[action='/account/branches/end'])"

# What is said: the verb below an app, that of a service on several phones, a password by a link among what happened, the title of what is held.
WORDS = {
    "en": ("End access", "End everywhere", "A new password was set by a link", "All that is held on you"),
    "de": ("Zugriff beenden", "Überall beenden", "Ein neues Passwort wurde per Link gesetzt", "Alles, was über Sie gespeichert ist"),
    "fr": ("Mettre fin à l’accès", "Mettre fin partout", "Un nouveau mot de passe a été défini par un lien", "Tout ce qui est enregistré sur vous"),
    "it": ("Termina l’accesso", "Termina ovunque", "Una nuova password è stata impostata tramite un link", "Tutto ciò che è registrato su di Lei"),
}


@pytest.fixture(scope="module")
def mailbox():
    mailbox = Mailbox()
    yield mailbox
    mailbox.close()


@pytest.fixture(scope="module")
def cluster(folder):
    cluster = Cluster(Path(mkdtemp(dir=folder)) / "postgres")
    try:
        yield cluster.start()
    finally:
        cluster.discard()


@pytest.fixture(scope="module")
def mailing(folder, cluster, mailbox) -> Server:
    """A server that sends mail, and whose people delete their accounts themselves."""
    server = Server(Path(mkdtemp(dir=folder)), cluster.url("pando_people"), PANDO_MAIL_SERVER=f"smtp://127.0.0.1:{mailbox.port}", PANDO_MAIL_TLS="none",
                    PANDO_MAIL_FROM="Pando <no-reply@example.org>", PANDO_ACCOUNT_DELETION="self")
    try:
        yield server.start()
        if server.process.poll() is None:
            server.stop()
    finally:
        server.clear()


@pytest.fixture(scope="module")
def app(mailing) -> Release:
    return Release.add(mailing)


class Person:
    """Somebody with two phones, a mailbox and this browser."""

    def __init__(self, server: Server, mailbox: Mailbox, browser: Chromium, app: Release, looks: Looks):
        self.server, self.mailbox, self.browser, self.looks = server, mailbox, browser, looks
        self.verb, self.everywhere, self.reset_by_link, self.held = WORDS[looks.language]
        self.household = Household(server, f"{server.issuer}/services/viewer", app)
        self.name, self.address = self.household.name, f"{self.household.name}@example.org"
        self.notices = [mailbox.next(self.address, page="cut") for _ in (MINE, LOST)]

    def open(self, page: str) -> None:
        self.browser.open(f"{self.server.issuer}{page}")

    def is_in(self) -> bool:
        self.open("/account")
        return self.browser.url == f"{self.server.issuer}/account"

    def log_in(self, password: str) -> None:
        self.browser.type(username=self.name, password=password)
        self.browser.click("form[action='/login'] button")
        assert self.browser.url == f"{self.server.issuer}/account", self.browser.text

    def mail(self, page: str) -> str:
        """The link to that page in the next mail, which speaks the person's language."""
        message = self.mailbox.next(self.address, page=page)
        assert message["Content-Language"] == self.looks.language, message["Subject"]
        return link(message, page)

    def submit(self, **fields: str) -> None:
        self.browser.type(**fields)
        self.browser.click("main form button")

    def answers(self, of_sister: bool = False) -> int:
        """What the phone, or its sister, hears when it asks who its person is."""
        phone = self.household.sister if of_sister else self.household.phone
        return phone.ask("GET", "/userinfo").status_code

    # The walks

    def arrives(self) -> None:
        forget(self.browser)
        self.open("/login?return_to=/account")
        self.looks.look("login")
        self.log_in(PASSWORD)
        # A browser that the account was never used in; in the language that was known of the person before.
        assert self.mailbox.next(self.address, page="cut")["Content-Language"] == "en"

    def ends_a_branch(self) -> None:
        """An app's access ends; the service, the phone, its sister and this browser go on."""
        self.looks.look("account", MINE, LOST, BUNDLE, self.verb)
        self.browser.element(f"{BRANCH} > summary").click()
        self.looks.look("branch-question", BUNDLE)
        self.browser.click(f"{BRANCH}[open] form button")
        self.looks.look("branch-ended", MINE, LOST, self.verb)
        assert BUNDLE not in self.browser.text
        nodes = self.household.phone.ask("GET", "/account/tree").json()["nodes"]
        services = next(node for node in nodes if node["name"] == MINE)["children"]
        assert len(services) == 1 and not services[0]["children"], services
        assert (self.answers(), self.answers(of_sister=True)) == (200, 200)

    def ends_a_service_everywhere(self) -> None:
        """On both phones, which go on as this browser does."""
        self.household.sister.open(f"{self.server.issuer}/services/viewer")
        self.open("/account")
        self.browser.element(f"{EVERYWHERE} > summary").click()
        self.looks.look("everywhere-question", self.everywhere)
        self.browser.click(f"{EVERYWHERE}[open] form button")
        self.looks.look("service-ended", MINE, LOST)
        assert self.everywhere not in self.browser.text
        assert not any(node["children"] for node in self.household.phone.ask("GET", "/account/tree").json()["nodes"])
        assert (self.answers(), self.answers(of_sister=True)) == (200, 200)

    def was_not_me_in_the_activity(self) -> None:
        """The first login of the sister was somebody else's: it leads to the end of her alone."""
        self.open("/account/activity")
        self.looks.look("activity")
        links = [found.get_attribute("href") for found in self.browser.driver.find_elements("css selector", "a[href*='not-me']")]
        for address in links:
            self.browser.open(address)
            if LOST in self.browser.text:
                break
        self.looks.look("not-me", LOST)
        self.browser.click("form[action='/account/disconnect'] button")
        self.looks.look("phone-ended", MINE)
        assert LOST not in self.browser.text and (self.answers(), self.answers(of_sister=True)) == (200, 401)
        self.open("/account/told")
        self.looks.look("told", MINE)

    def was_not_me_in_a_mail(self) -> None:
        """Neither was the other phone theirs: the link in the mail about it shows what it does, and does it when told."""
        notice = next(message for message in self.notices if MINE in text(message))
        self.browser.open(link(notice, "cut"))
        self.looks.look("cut-phone", self.name)
        assert self.answers() == 200
        self.browser.click("main form button")
        self.looks.look("phone-cut")
        assert self.answers() == 401 and self.is_in()

    def forgets_the_password(self) -> None:
        forget(self.browser)
        self.open("/login?return_to=/account")
        self.browser.click("a[href='/recover']")
        self.looks.look("recover")
        self.submit(name=self.address)
        self.looks.look("recover-asked")
        self.browser.open(self.mail("password"))
        self.looks.look("new-password", self.name)
        self.submit(new=NEXT, again=f"{NEXT}s")
        self.looks.look("new-password-wrong", self.name)
        self.submit(new=NEXT, again=NEXT)
        self.looks.look("password-set")
        self.open("/login?return_to=/account")
        self.log_in(NEXT)

    def did_not_change_the_password(self) -> None:
        """The mail about it ends everything, the password too, and brings a link for another."""
        address = self.mail("cut")
        self.browser.open(address)
        self.looks.look("cut-password", self.name)
        self.browser.click("main form button")
        self.looks.look("password-cut")
        self.browser.open(address)
        self.looks.look("link-over")
        assert not self.is_in()
        self.browser.open(self.mail("password"))
        self.submit(new=PASSWORD, again=PASSWORD)
        self.mail("cut")
        self.open("/login?return_to=/account")
        self.log_in(PASSWORD)
        self.open("/account/activity")
        assert self.reset_by_link in self.browser.text

    def exports(self) -> None:
        self.open("/account")
        self.browser.click("a[href='/account/data']")
        self.looks.look("data", self.name)
        cookies = {cookie["name"]: cookie["value"] for cookie in self.browser.devtools("Network.getCookies", urls=[self.server.issuer])["cookies"]}
        file = requests.get(self.browser.element("a[href*='format=json']").get_attribute("href"), cookies=cookies, timeout=30)
        assert file.headers["Content-Disposition"].startswith("attachment") and file.json()["account"][0]["username"] == self.name
        self.browser.click("a[href*='format=html']")
        self.looks.look("export", self.held, self.address)

    def deletes_the_account(self) -> None:
        self.open("/account/delete")
        self.looks.look("delete", self.name)
        self.submit(password="not that one")
        self.looks.look("delete-wrong")
        assert self.server.admin("accounts", "show", self.name)["email"] == self.address
        self.submit(password=PASSWORD)
        self.looks.look("deleted")
        with pytest.raises(CommandFailed) as gone:
            self.server.admin("accounts", "show", self.name)
        assert gone.value.exit_code == 3 and not self.is_in()


@pytest.fixture(scope="module", params=WORDS)
def looks(request, mailing, mailbox, plain, app) -> Looks:
    """All walks of one person, who reads one language."""
    language, pictures = request.param, CHECKOUT / ".pando/screens" if request.config.getoption("--screens") else None
    looks = Looks(plain, language, every=language == "en", pictures=pictures)
    plain.speak(f"{language}-CH, {language};q=0.9" if language != "en" else "en")
    somebody = Person(mailing, mailbox, plain, app, looks)
    somebody.arrives()
    somebody.ends_a_branch()
    somebody.ends_a_service_everywhere()
    somebody.was_not_me_in_the_activity()
    somebody.was_not_me_in_a_mail()
    somebody.forgets_the_password()
    somebody.did_not_change_the_password()
    somebody.exports()
    somebody.deletes_the_account()
    return looks


def test_every_page_is_right_in_every_light(looks):
    """Console and content security policy; language, title, h1 and names; the Tab key; contrast; 320 pixels and more; axe."""
    assert set(looks.found) == PAGES
    assert {page: found for page, found in looks.found.items() if found} == {}


def test_no_page_ran_a_script(looks):
    assert not runs_scripts(looks.chromium)
