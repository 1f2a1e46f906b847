"""What operators do with phones on the command line: taking over those of another server, blocking and removing them, and a new master key."""
from __future__ import annotations

import base64
import csv
import json
import secrets
import shutil
import sqlite3
import subprocess

import pytest

from bank import Bank
from phone import person
from server import CommandFailed
from waiting import eventually

SUITE = "OCRA-1:HOTP-SHA1-6:QH10-S"
SECRET = "00112233445566778899aabbccddeeff" * 2


@pytest.fixture
def tables(tmp_path):
    """The old server's database, exported by its own tool: a good row, one with a broken secret, one whose userid no link can carry."""
    mark = secrets.token_hex(4)
    rows = [(f"ada-{mark}", "Ada, \"Countess\"", SECRET, 2, 0), (f"bob-{mark}", "Bob", "xyz", 0, 0), (f"cleo@{mark}", "Cleo", SECRET, 0, 1)]
    columns, users = "userid, displayname, secret, loginattempts, blocked", tmp_path / "users.csv"
    if shutil.which("sqlite3"):
        with sqlite3.connect(tmp_path / "tiqr.sqlite") as old:
            old.execute("create table user (id integer primary key, userid text, displayname text, secret text, loginattempts integer, blocked integer)")
            old.executemany(f"insert into user ({columns}) values (?, ?, ?, ?, ?)", rows)
        command = ["sqlite3", "-header", "-csv", str(tmp_path / "tiqr.sqlite"), f"select {columns} from user order by id"]
        users.write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)
    else:
        with users.open("w", newline="") as file:
            csv.writer(file).writerows([columns.split(", "), *rows])
    return mark, users


def bring(server, users, owner: str, *options: str):
    """The whole of stdout, and how it left."""
    finished = server.run("admin", "tiqr", "import", "--json", "--users", str(users), "--identifier", "old.example.org", "--suite", SUITE, "--owner", owner,
                          *options)
    return json.loads(finished.stdout) if finished.stdout else None, finished


def relying_party(server) -> str:
    made = server.admin("clients", "create", "--name", "Book shop", "--grant", "client_credentials", "--scope", "org.tiqr.enroll", "--scope", "org.tiqr.auth")
    return made["client_id"]


def test_phones_of_another_server_are_taken_over(server, tables):
    """A dry run first, which changes nothing; then the good rows, with the bad ones named; then once more, which is harmless."""
    mark, users = tables
    owner = f"client:{relying_party(server)}"

    dry, finished = bring(server, users, owner)
    assert finished.returncode == 7 and dry["dry_run"] and (dry["imported"], dry["refused"]) == (1, 2)
    with pytest.raises(CommandFailed) as missing:
        server.admin("tiqr", "identities", "show", f"ada-{mark}")
    assert missing.value.exit_code == 3

    done, finished = bring(server, users, owner, "--yes", "--reason", "moving in")
    assert finished.returncode == 7 and not done["dry_run"] and done["imported"] == 1
    assert [(item["line"], item["outcome"]) for item in done["items"]] == [(3, "refused"), (4, "refused")]
    again, finished = bring(server, users, owner, "--yes", "--only", f"ada-{mark}")
    assert finished.returncode == 0 and again["already"] == 1
    for text in (finished.stdout, finished.stderr, json.dumps(done), json.dumps(dry)):
        assert SECRET not in text

    shown = server.admin("tiqr", "identities", "show", f"ada-{mark}")
    assert shown["status"] == "active" and shown["attempts_left"] == 3 and shown["owner"] == owner and shown["suite"] == SUITE
    assert "old.example.org" in [one["identifier"] for one in server.admin("tiqr", "identifiers", "list")["items"]]


def test_an_identifier_has_an_app_of_its_own(server, tmp_path):
    """Added with a logo from a file, shown, changed, retired; a picture that no phone shows changes nothing."""
    name, logo = f"own-{secrets.token_hex(4)}.example.org", tmp_path / "logo.png"
    logo.write_bytes(bytes.fromhex("89504e470d0a1a0a0000000d49484452000000090000000908060000000000000000"))
    words = ("--display-name", "Own app", "--schemes", "ownenroll,ownauth", "--suite", SUITE)

    made = server.admin("tiqr", "identifiers", "add", name, *words, "--logo", str(logo))
    assert (made["enroll_scheme"], made["suite"], made["used"]) == ("ownenroll", SUITE, False) and made["logo_url"].endswith(f"/identifiers/{name}/logo")
    with pytest.raises(CommandFailed) as twice:
        server.admin("tiqr", "identifiers", "add", name, *words)
    assert twice.value.exit_code == 4
    logo.write_text("<svg/>")
    with pytest.raises(CommandFailed):
        server.admin("tiqr", "identifiers", "update", name, "--logo", str(logo))
    assert server.admin("tiqr", "identifiers", "update", name, "--display-name", "Other")["display_name"] == "Other"
    assert server.admin("tiqr", "identifiers", "retire", name)["retired"] is True
    assert server.admin("tiqr", "identifiers", "show", name)["retired"] is True


def test_what_is_wrong_with_the_whole_changes_nothing(server, tables, tmp_path):
    """An unknown client or account, an unsuitable suite or identifier, files that are no tables: each with its exit status."""
    mark, users = tables
    owner = f"client:{relying_party(server)}"
    broken, keys = tmp_path / "broken.csv", tmp_path / "keys"
    broken.write_text("userid,secret\nada\n")
    keys.write_text("default: 00\n")

    assert bring(server, users, "client:nobody")[1].returncode == 3
    assert bring(server, users, "nobody")[1].returncode == 2
    assert bring(server, users, owner, "--suite", "OCRA-1:HOTP-SHA1-6:QN10-S")[1].returncode == 5
    assert bring(server, broken, owner)[1].returncode == 5
    assert bring(server, users, owner, "--encryption-key", str(keys))[1].returncode == 5
    assert bring(server, users, owner, "--yes", "--dry-run")[1].returncode == 2
    result, finished = bring(server, users, "house", "--yes")
    assert finished.returncode == 7 and result["imported"] == 0, "no account has that name"


def test_a_phone_of_the_house_is_found_blocked_and_removed(server, tables, tmp_path):
    """By account; a thing said twice is already done; what is removed is gone."""
    mark, users = tables
    name, people = person(server), tmp_path / "people.csv"
    people.write_text(f"userid,person\nada-{mark},{name}\n")
    bring(server, users, "house", "--people", str(people), "--yes", "--only", f"ada-{mark}")

    listed = server.admin("tiqr", "identities", "list", "--account", name)["items"]
    assert [one["identity"] for one in listed] == [f"ada-{mark}"] and listed[0]["owner"] == "house"
    assert server.admin("tiqr", "identities", "block", f"ada-{mark}", "--dry-run")["dry_run"]
    assert server.admin("tiqr", "identities", "show", f"ada-{mark}")["status"] == "active"
    blocked = server.admin("tiqr", "identities", "block", f"ada-{mark}", "--minutes", "60", "--reason", "on holiday")
    assert blocked["status"] == "blocked" and not blocked["already"] and "blocked_until" in blocked and blocked["browsers_ended"] == 0
    assert not server.admin("tiqr", "identities", "unblock", f"ada-{mark}")["already"]
    assert server.admin("tiqr", "identities", "unblock", f"ada-{mark}")["already"]
    with pytest.raises(CommandFailed) as odd:
        server.admin("tiqr", "identities", "block", f"ada-{mark}", "--minutes", "0")
    assert odd.value.exit_code == 5
    removed = server.admin("tiqr", "identities", "remove", f"ada-{mark}", "--yes")
    assert removed["removed"] and removed["browsers_ended"] == 0
    assert server.admin("tiqr", "identities", "list", "--account", name)["items"] == []


def test_a_new_master_key(own_server, tables):
    """Not while a server runs; afterwards the old key starts nothing, the new one everything, and what was sealed opens."""
    mark, users = tables
    name, new = person(own_server), own_server.folder / "new.key"
    bring(own_server, users, f"client:{relying_party(own_server)}", "--yes")
    bank = Bank(own_server)
    approving, order = bank.phone("ada"), bank.order("ada", proximityCheckEnabled=True)
    new.write_text(base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("="))
    old = own_server.folder / "master.key"

    dry = own_server.admin("keys", "reseal", "--to-key", str(new), "--dry-run")
    assert dry["dry_run"] and dry["other_connections"] > 0 and dry["tiqr_identities"] == 1 and dry["sealed_secrets"] > 0 and dry["signing_keys"] > 0
    assert dry["operations_secrets"] > 0
    with pytest.raises(CommandFailed) as running:
        own_server.admin("keys", "reseal", "--to-key", str(new))
    assert running.value.exit_code == 4 and "connections" in running.value.stderr
    with pytest.raises(CommandFailed) as same:
        own_server.admin("keys", "reseal", "--to-key", str(old))
    assert same.value.exit_code == 4
    with pytest.raises(CommandFailed) as bad:
        own_server.admin("keys", "reseal", "--to-key", str(users))
    assert bad.value.exit_code == 5

    own_server.stop()
    done = eventually(lambda: reseal(own_server, new))
    assert (done["from"], done["to"]) == (dry["from"], dry["to"]) and not done["already"]
    again = own_server.admin("keys", "reseal", "--to-key", str(new))
    assert again["already"] and again["tiqr_identities"] == again["operations_secrets"] == 0
    refused = own_server.run("admin", "--json", "accounts", "list")
    assert refused.returncode != 0 and refused.stdout == ""

    new.replace(old)
    own_server.start()
    shown = own_server.admin("tiqr", "identities", "show", f"ada-{mark}")
    already, finished = bring(own_server, users, shown["owner"], "--yes", "--only", f"ada-{mark}")
    assert finished.returncode == 0 and already["already"] == 1, "the secret opens under the new key"
    assert approving.validates() and own_server.admin("operations", "config", "--app", bank.app)["sdk_config"] == bank.config
    assert bank.ask("GET", f"/operations/{order['operationId']}/proximity?scheme=bank")["otp"]
    assert "active" in [key["status"] for key in own_server.admin("keys", "list")["items"]]
    assert own_server.admin("accounts", "show", name)["username"] == name


def reseal(server, new):
    """Once the stopped server's connections are gone."""
    try:
        return server.admin("keys", "reseal", "--to-key", str(new))
    except CommandFailed as failure:
        assert failure.exit_code == 4, failure
        return None
