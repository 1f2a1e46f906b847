"""A person's own data in a real Chromium, without scripts: the file that it downloads, and the account deleted by its person, or not.

Nothing is pictured here. Everything is found by address, field and role. How the pages look is for test_people_walk.
"""
from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests

from chromium import DESKTOP, PHONE, Chromium
from phone import PASSWORD, person
from seeing import forget, log_in, text
from server import CommandFailed, Server


@pytest.fixture
def lenient(folder, own_cluster) -> Server:
    """A server whose people delete their accounts themselves."""
    server = Server(Path(mkdtemp(dir=folder)), own_cluster.url("pando_lenient"), PANDO_ACCOUNT_DELETION="self")
    with server.running():
        yield server


@pytest.fixture
def plain(folder):
    """A browser without scripts."""
    browser = Chromium(Path(mkdtemp(dir=folder)), {}, scripts=False)
    yield browser
    browser.close()


def wrong(chromium: Chromium) -> list[str]:
    found = chromium.complaints()
    for width, height in (DESKTOP, PHONE):
        chromium.view(width, height)
        found += chromium.too_wide()
    return found + chromium.faint() + chromium.faint(dark=True) + chromium.nameless() + chromium.out_of_reach()


def test_the_file_is_the_same(lenient, plain):
    """What a link of the page leads to, with the browser's cookies."""
    name = person(lenient)
    forget(plain)
    plain.open(f"{lenient.issuer}/account/data")
    log_in(plain, name)
    cookies = {cookie["name"]: cookie["value"] for cookie in plain.devtools("Network.getCookies", urls=[lenient.issuer])["cookies"]}

    answer = requests.get(f"{lenient.issuer}/account/export?format=json", cookies=cookies, timeout=30)

    assert answer.status_code == 200 and answer.headers["Content-Disposition"].startswith("attachment; filename=\"pando-account-")
    assert answer.json()["account"][0]["username"] == name and len(answer.json()["browser_sessions"]) == 1
    assert not any(value in answer.text for value in cookies.values()) and "argon2" not in answer.text


def test_an_account_is_deleted_by_its_person(lenient, plain):
    name = person(lenient)
    forget(plain)
    plain.open(f"{lenient.issuer}/account")
    log_in(plain, name)
    plain.click("a[href='/account/data']")
    plain.click("a[href='/account/delete']")
    plain.type(password="not that one")
    plain.click("main form button")
    assert "The current password is not correct." in text(plain) and lenient.admin("accounts", "show", name)
    plain.type(password=PASSWORD)
    plain.click("main form button")

    assert "Your account is deleted" in text(plain) and not wrong(plain)
    with pytest.raises(CommandFailed) as gone:
        lenient.admin("accounts", "show", name)
    assert gone.value.exit_code == 3
    plain.open(f"{lenient.issuer}/account")
    assert plain.url.startswith(f"{lenient.issuer}/login")


def test_where_the_operator_deletes_the_page_says_so(server, plain):
    forget(plain)
    plain.open(f"{server.issuer}/account/data")
    log_in(plain, person(server))

    assert "by the operator of localhost" in text(plain) and not wrong(plain)
