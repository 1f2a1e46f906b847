"""A real Chromium walks what a person has let in: the tree on the account page, what happened of late, who was told something; without scripts as well.

In other languages and colours these pages are seen by test_people_walk.
"""
from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests

from application import HOST
from barriers import barriers
from chromium import Chromium
from household import BUNDLE, Household, ask, end, opened
from phone import PASSWORD
from seeing import forget, log_in
from server import CHECKOUT, Server
from waiting import eventually
from walking import Looked, Walk

PAGES = ("tree-account", "tree-service", "tree-app-ended", "tree-service-ended", "tree-activity", "tree-not-me", "tree-phone-ended", "tree-told",
         "tree-told-emptied", "tree-used", "tree-used-emptied")


@pytest.fixture(scope="module")
def household(server, viewer) -> Household:
    return Household(server, viewer)


@pytest.fixture(scope="module")
def walk(server, household, chromium) -> Walk:
    walk = Walk(chromium, CHECKOUT / ".pando/screens", ("tree-account",))
    forget(chromium)
    chromium.open(f"{server.issuer}/login?return_to=/account")
    log_in(chromium, household.name)
    walk.axe = {}
    tree(walk, server)
    activity(walk, server)
    told(walk, server)
    used(walk, server, household)
    return walk


def look(walk: Walk, page: str, *words: str) -> None:
    walk.look(page, *words)
    walk.axe[page] = barriers(walk.chromium)


def tree(walk: Walk, server: Server) -> None:
    """From the phone to the service and its app; the app is ended, then the service."""
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/account")
    look(walk, "tree-account", "My phone", "The lost one", "Services opened with it", BUNDLE)
    ask(chromium, "/account/branches/end")
    look(walk, "tree-service", "ends, with all apps", "All else from here goes on")
    chromium.open(f"{server.issuer}/account")
    chromium.element(f".branches .branches {opened('/account/branches/end')} > summary").click()
    chromium.click(".branches .branches details[open] form button")
    look(walk, "tree-app-ended", "The access has ended.")
    assert BUNDLE not in chromium.text
    end(chromium, "/account/branches/end")
    look(walk, "tree-service-ended", "The access has ended.", "My phone")
    assert "Services opened with it" not in chromium.text


def activity(walk: Walk, server: Server) -> None:
    """The first login of the other phone was somebody else's: it leads to the end of that phone."""
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/account/activity")
    look(walk, "tree-activity", "Login in a browser", "First login with a new phone", "From the network")
    links = [link.get_attribute("href") for link in chromium.driver.find_elements("css selector", "a[href*='not-me']")]
    for link in links:
        chromium.open(link)
        if "The lost one" in chromium.text:
            break
    look(walk, "tree-not-me", "Disconnect the phone", "The lost one", "Change password")
    chromium.click("form[action='/account/disconnect'] button")
    look(walk, "tree-phone-ended", "The phone is disconnected", "My phone")
    assert "The lost one" not in chromium.text


def told(walk: Walk, server: Server) -> None:
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/account/told")
    look(walk, "tree-told", "Who was told something about you", "Through", "My phone", "password")
    end(chromium, "/account/told/empty")
    look(walk, "tree-told-emptied", "The list is empty.")


def used(walk: Walk, server: Server, household: Household) -> None:
    chromium = walk.chromium
    assert household.phone.ask("GET", "/service-discovery/user").json()
    chromium.open(f"{server.issuer}/account/told")
    look(walk, "tree-used", "Nobody was told anything about you", "Services that you used")
    end(chromium, "/account/used/empty")
    look(walk, "tree-used-emptied", "The list is empty.")
    assert household.phone.ask("GET", "/service-discovery/user").json() == []
    chromium.open(f"{server.issuer}/account/told")
    assert "Services that you used" not in chromium.text


class TestAccountTree(Looked):
    pages, prefix = PAGES, "tree-"

    def test_pictures(self, walk):
        """They are of people and times of this run: none is kept."""

    def test_axe_finds_no_barrier(self, walk):
        assert {page: found for page, found in walk.axe.items() if found} == {}

    def test_only_what_was_cut_has_ended(self, walk, household):
        assert not household.phone.ask("GET", "/account/tree").json()["nodes"][0]["children"]
        assert household.phone.ask("GET", "/userinfo").status_code == 200
        assert household.sister.ask("GET", "/userinfo").status_code == 401


def test_a_branch_is_ended_without_scripts(server, viewer, application, folder):
    chromium, own = Chromium(Path(mkdtemp(dir=folder)), {HOST: application.port}, scripts=False), Household(server, viewer)
    try:
        chromium.open(f"{server.issuer}/login?return_to=/account")
        chromium.type(username=own.name, password=PASSWORD)
        chromium.click("main button")
        end(chromium, "/account/branches/end")
        assert "The access has ended." in chromium.text and not chromium.complaints()
        assert own.phone.ask("GET", "/userinfo").status_code == 200
    finally:
        chromium.close()


def test_a_service_is_ended_everywhere(server, viewer, chromium):
    """On one phone and the other: the service refuses the app that it let in before, and no other than the service ends."""
    own = Household(server, viewer)
    own.sister.open(viewer)

    def asked() -> int:
        return requests.get(f"{viewer}/attributes", headers={"Authorization": f"Bearer {own.app['access_token']}"}, timeout=30).status_code

    assert asked() == 200
    forget(chromium)
    chromium.open(f"{server.issuer}/login?return_to=/account")
    log_in(chromium, own.name)
    ask(chromium, "/account/services/end")
    assert "on every phone and in every application" in chromium.text and not barriers(chromium)
    chromium.click(f"{opened('/account/services/end')}[open] form button")
    assert "The access has ended." in chromium.text and "Services opened with it" not in chromium.text
    assert eventually(lambda: asked() == 401)
    assert [phone.ask("GET", "/userinfo").status_code for phone in (own.phone, own.sister)] == [200, 200]


def test_a_phone_ends_its_lost_sister(server, viewer):
    own = Household(server, viewer)
    nodes = own.phone.ask("GET", "/account/tree").json()["nodes"]
    lost = next(node for node in nodes if node["name"] == "The lost one")

    assert own.sister.ask("DELETE", f"/account/tree/{lost['id'][:-1]}x").status_code == 404
    assert own.phone.ask("DELETE", f"/account/tree/{lost['id']}").status_code == 204
    assert own.phone.ask("DELETE", f"/account/tree/{lost['id']}").status_code == 404
    assert own.sister.ask("GET", "/account/tree").status_code == 401
    assert [node["name"] for node in own.phone.ask("GET", "/account/tree").json()["nodes"]] == ["My phone"]
