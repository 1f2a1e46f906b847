"""A backup of Monday is restored on Wednesday, as docs/operate.md says ("Backups"): no token comes back, and what is true of phones and passkeys whose counters went on."""
from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests
from requests.auth import HTTPBasicAuth

from bank import Bank
from browsing import Browser
from clients import machine
from keys import verified
from outside_service import OutsideService
from phone import Phone, Release, person
from server import Server, free_port
from waiting import eventually
from wallet import Wallet

SCOPE, BUNDLE = "ch.pando.viewer", "org.example.photos"
ENDED = "urn:pando:event:ended"
WENT_BACK = "The database went back to an earlier state"
# How many counters of a phone the server looks at, its own the first.
LOOK_AHEAD = 20


def program(name: str) -> str:
    return shutil.which(name) or str(max(Path("/usr/lib/postgresql").glob(f"*/bin/{name}")))


class Backup:
    """What `pg_dump` says of a running server's database."""

    def __init__(self, server: Server, folder: Path):
        self.server, self.file = server, Path(mkdtemp(dir=folder)) / "backup"
        subprocess.run([program("pg_dump"), "--format=custom", "--file", self.file, "--dbname", self.conninfo], check=True, timeout=120)

    @property
    def conninfo(self) -> str:
        return self.server.psql()[-1]

    def restore(self) -> None:
        """In place of what is there now; the server is stopped."""
        self.server.sql("drop schema public cascade; create schema public")
        subprocess.run([program("pg_restore"), "--single-transaction", "--exit-on-error", "--dbname", self.conninfo, self.file], check=True, timeout=120)


def restored(server: Server, backup: Backup) -> None:
    """As docs/operate.md has it: nobody is let in before the bump."""
    server.stop()
    backup.restore()
    assert server.run("migrate").returncode == 0
    assert server.admin("epoch", "bump", "--reason", "restored the backup of Monday")["epoch"] == 2
    server.start()


def operators_browser(server: Server) -> Browser:
    name = person(server)
    server.admin("roles", "grant", name, "administrator")
    return Browser(server.issuer, name)


def proofs(server: Server) -> float:
    """How often the database was proved to have gone back, by the page that is scraped."""
    page = requests.get(f"http://127.0.0.1:{server.environment['PANDO_METRICS_PORT']}/metrics", timeout=30).text
    return next(float(line.split()[1]) for line in page.splitlines() if line.startswith("pando_database_setbacks_total "))


class Held:
    """All kinds of tokens of one phone, at the IdP and at a service in the house; `lives` says which of them does something still."""

    def __init__(self, server: Server, release: Release):
        self.server, self.viewer = server, f"{server.issuer}/services/viewer"
        self.phone = Phone(server.issuer, release).register().log_in(person(server))
        self.pats, self.instance = [self.phone.pat], self.phone.instance
        self.service = self.phone.open(self.viewer)
        self.app = self.phone.hand_out(self.service, self.viewer, SCOPE, BUNDLE)

    def refresh(self) -> None:
        self.pats.append(self.phone.refresh(self.pats[-1]))

    def _refreshes(self, endpoint: str, token: dict) -> bool:
        data = {"grant_type": "refresh_token", "refresh_token": token["refresh_token"], "client_id": self.phone.client_id}
        answer = requests.post(endpoint, data=data, auth=self.phone.proof(), timeout=30)
        assert answer.status_code == 200 or (answer.status_code, answer.json()["error"]) == (400, "invalid_grant"), answer.text
        return answer.status_code == 200

    def _reads(self) -> bool:
        answer = requests.get(f"{self.viewer}/attributes", headers={"Authorization": f"Bearer {self.app['access_token']}"}, timeout=30)
        assert answer.status_code in (200, 401), answer.text
        return answer.status_code == 200

    def _asks(self, token: dict, method: str, path: str) -> bool:
        answer = self.phone.ask(method, path, token)
        assert answer.status_code != 401 or answer.json()["error"] == "invalid_token", answer.text
        return answer.status_code != 401

    def lives(self, *, refreshing: bool = True) -> set[str]:
        tried = {"instance": self._asks(self.instance, "GET", "/user-profile"), "app": self._reads()}
        for number, pat in enumerate(self.pats):
            tried[f"pat {number}"] = self._asks(pat, "GET", "/user-profile")
        if refreshing:
            tried["refresh at the service"] = self._refreshes(f"{self.viewer}/token", self.service)
            for number, pat in enumerate(self.pats):
                tried[f"refresh {number}"] = self._refreshes(f"{self.server.issuer}/token", pat)
        return {name for name, lives in tried.items() if lives}


@pytest.fixture
def release(own_server) -> Release:
    return Release.add(own_server)


def test_no_token_comes_back(own_server, release, folder):
    """What was revoked since would live again, and what was rotated; the bump ends both, and what was issued since is known to nobody."""
    kept, ended, rotated = (Held(own_server, release) for _ in range(3))
    client = machine(own_server)
    bearer = requests.post(f"{own_server.issuer}/token", data={"grant_type": "client_credentials"}, auth=HTTPBasicAuth(*client), timeout=30).json()["access_token"]
    backup = Backup(own_server, folder)

    own_server.admin("tokens", "revoke", f"instance:{ended.phone.client_id}", "--reason", "stolen on Tuesday")
    own_server.admin("keys", "rotate", "--now")
    rotated.refresh()
    since = Held(own_server, release)
    assert eventually(lambda: not ended.lives(refreshing=False)) and kept.lives(refreshing=False)

    own_server.stop()
    backup.restore()
    own_server.environment["PANDO_METRICS_PORT"] = str(free_port())
    own_server.start()
    assert ended.lives(refreshing=False) >= {"pat 0", "app"}, "which is what the bump is for"
    operator = operators_browser(own_server)
    assert (WENT_BACK in operator.walk(f"{own_server.issuer}/admin").text, proofs(own_server)) == (False, 0)
    # Who refreshed since holds a token that is ahead: it is theirs, and proves what has happened.
    assert own_server.admin("epoch", "show")["setback"] is None
    assert rotated._refreshes(f"{own_server.issuer}/token", rotated.pats[-1])
    assert own_server.admin("epoch", "show")["setback"]["families"] == 1
    assert "the database went back" in own_server.log.read_text()
    doctor = json.loads(own_server.run("doctor", "-o", "json").stdout)
    assert [found["status"] for found in doctor["items"] if found["name"] == "history"] == ["error"]
    assert (WENT_BACK in operator.walk(f"{own_server.issuer}/admin").text, proofs(own_server)) == (True, 1)

    restored(own_server, backup)

    every = (kept, ended, rotated, since)
    assert eventually(lambda: not any(held.lives(refreshing=False) for held in every), within_s=60), "the service is told by an event"
    assert {name: held.lives() for name, held in {"kept": kept, "ended": ended, "rotated": rotated, "since": since}.items()} == {
        "kept": set(), "ended": set(), "rotated": set(), "since": set()}
    assert own_server.admin("epoch", "show")["setback"] is None, "which the bump settles"
    said = requests.post(f"{own_server.issuer}/introspect", data={"token": bearer}, auth=HTTPBasicAuth(*client), timeout=30)
    assert said.status_code == 200 and said.json() == {"active": False}
    # Apps register and log in again by themselves, and what they get then lives.
    new = Held(own_server, release)
    assert new.lives(refreshing=False) >= {"pat 0", "app"}


def test_services_elsewhere_are_told_of_the_bump(own_server, release, folder):
    """One event, with the root of all lineages. Its number is far above the backup's, so that who has seen more than the server knows of sees a gap."""
    outside = OutsideService(own_server)
    try:
        outside.open()
        phone, other = (Phone(own_server.issuer, release).register().log_in(person(own_server)) for _ in range(2))
        lineage = verified(phone.assertion(outside.base)[0], own_server.issuer, "oauth-id-jag+jwt")["lineage"]
        other.assertion(outside.base)
        backup = Backup(own_server, folder)
        own_server.admin("tokens", "revoke", f"instance:{other.client_id}")
        assert eventually(lambda: len(outside.events) == 1, within_s=60)

        restored(own_server, backup)

        assert eventually(lambda: len(outside.events) >= 2, within_s=60)
        before, after = outside.events[0], outside.events[-1]
        assert after["events"][ENDED]["node"] == lineage[0], "the epoch, under its name at this service"
        assert after["jti"] != before["jti"] and before["events"][ENDED]["seq"] == 1 < 10**9 < after["events"][ENDED]["seq"]
    finally:
        outside.close()


def test_phones_that_sign_by_a_counter(own_server, folder):
    """A phone that went on a little is found by the look-ahead; one that went on farther is refused, and set up anew."""
    bank = Bank(own_server)
    still, near, far = (bank.phone(f"u{number}") for number in range(3))
    assert still.validates() and near.validates() and far.validates()
    backup = Backup(own_server, folder)
    assert all(near.validates() for _ in range(LOOK_AHEAD - 1))
    assert all(far.validates() for _ in range(LOOK_AHEAD))

    restored(own_server, backup)

    assert still.validates(), "it has not been used since"
    assert near.validates() and near.validates(), "found, and from then on side by side again"
    assert not far.validates() and not far.validates(), "and with each try it goes on farther"
    shown = own_server.admin("operations", "registrations", "show", far.id)
    assert shown["status"] in ("ACTIVE", "BLOCKED")
    # What an operator does.
    assert own_server.admin("operations", "registrations", "remove", far.id, "--reason", "ahead of the backup")["status"] == "REMOVED"
    anew = Bank(own_server).phone("u2")
    assert anew.validates()


def test_passkeys_that_count(own_server, folder):
    """One that went on is fine: a counter above ours is what it should be. None is called a copy."""
    wallet = Wallet(own_server.issuer)
    assert wallet.register().ok
    for wallet.count in (1, 2):
        assert wallet.log_in().ok
    backup = Backup(own_server, folder)
    for wallet.count in (3, 4, 5):
        assert wallet.log_in().ok

    restored(own_server, backup)

    wallet.count = 6
    assert wallet.log_in().ok
    assert own_server.admin("passkeys", "list", "--flagged")["items"] == []
    # A copy made from the phone since would be seen only by its next step back.
    wallet.count = 6
    wallet.log_in()
    assert len(own_server.admin("passkeys", "list", "--flagged")["items"]) == 1
