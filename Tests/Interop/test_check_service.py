"""`pando check-service` and `pando admin services check`: the four services of a server are clean, one of somebody else's is told what it lacks."""
from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests

from demo_service import DemoService
from example_kinds import EACH
from example_wordpress import WordPressService
from outside_service import OutsideService
from server import BINARY, CHECKOUT, CommandFailed, Server, free_port

ISSUER_WAITS_S = 30


def found(report: dict, *severities: str) -> dict[str, str]:
    return {finding["id"]: finding["text"] for finding in report["findings"] if finding["severity"] in severities}


@pytest.fixture(scope="module", autouse=True)
def help_text(server):
    if "check-service" not in server.run("--help").stdout:
        pytest.skip("this binary has no check-service yet")


def people(server: Server) -> set[str]:
    return {account["username"] for account in server.admin("accounts", "list", "--limit", "1000")["items"]}


@pytest.mark.parametrize("service", ["viewer", "tiqr", "operations", "liquid"])
def test_our_services_are_clean(server, service):
    """By the federation's own assertions, events and revocation; afterwards nobody is left who was made for it."""
    report = server.admin("services", "check", service)

    assert found(report, "error", "warning") == {}
    assert report["assertions"] == "federation" and report["errors"] == 0
    good = found(report, "ok")
    assert {"document", "forged", "tampered", "wrong-typ", "foreign", "redeem", "reuse", "reuse-ends", "app-token", "scope-unknown", "events-forged",
            "revocation"} <= set(good)
    assert not [name for name in people(server) if name.startswith("pando-check-")]
    versions = server.admin("apps", "versions", "list", "pando.check")["items"]
    assert versions and {version["status"] for version in versions} == {"refused"}


def test_the_viewer_is_checked_as_its_apps_do(server):
    """By the demo's app over HTTP, without a database; the tokens at its protocol are tried, too."""
    base = f"{server.issuer}/services/viewer"

    finished = server.run("check-service", base, "--allow-private", "--issuer", server.issuer, "--demo", "--json")

    assert finished.returncode == 0, finished.stdout + finished.stderr
    report = json.loads(finished.stdout)
    assert found(report, "error", "warning") == {}
    assert {"api", "bound-bare", "bound-other-key", "api-service-token"} <= set(found(report, "ok"))


def test_somebody_elses_service_is_told_what_it_lacks(server):
    """It takes events and nothing else: no document, no token endpoint. Exit status 7, and the report all the same."""
    outside = OutsideService(server).open()
    try:
        finished = server.run("admin", "services", "check", outside.id, "--patience", "2", "--json")
    finally:
        outside.close()

    assert finished.returncode == 7
    report = json.loads(finished.stdout)
    assert {"document", "token-endpoint"} <= set(found(report, "error"))
    assert all(finding["section"].startswith("docs/") for finding in report["findings"])


def test_the_small_service_is_clean_to_an_issuer_of_the_check(server):
    """`pando demo service` and `--own-issuer`: everything that can be signed wrongly is tried."""
    port = free_port()
    with DemoService(server, f"http://127.0.0.1:{port}") as service:
        finished = server.run("check-service", service.base, "--allow-private", "--own-issuer", str(port), "--json")
        words = server.run("check-service", service.base, "--allow-private")

    assert finished.returncode == 0, finished.stdout + finished.stderr
    report = json.loads(finished.stdout)
    assert report["assertions"] == "own" and found(report, "error", "warning") == {}
    assert {"expired", "no-lineage", "two-audiences", "event-twice", "revocation", "revoked-lineage"} <= set(found(report, "ok"))
    assert words.returncode == 0 and "To know:" in words.stdout and "docs/join-the-federation.md" in words.stdout


@pytest.mark.parametrize("kind", [each for each in EACH if each.values[0] is not WordPressService])
def test_an_example_is_clean_to_an_issuer_of_the_check(server, folder, kind):
    """Begun while no issuer was there. WordPress, which takes long to set up, is checked where it has joined, as the others are: test_example_services.py."""
    port = free_port()
    example = kind(Path(mkdtemp(dir=folder)), f"http://127.0.0.1:{port}")
    try:
        example.alone()
        finished = server.run("check-service", example.base, "--allow-private", "--own-issuer", str(port), "--json")
    finally:
        example.clear()

    assert finished.returncode == 0, finished.stdout + finished.stderr
    report = json.loads(finished.stdout)
    assert report["assertions"] == "own" and found(report, "error", "warning") == {}
    assert {"expired", "no-lineage", "two-audiences", "event-twice", "revocation", "revoked-lineage"} <= set(found(report, "ok"))


def test_the_small_service_is_clean_in_a_federation(server):
    """Entered as `pando demo service` says, it is checked by the operator."""
    with DemoService(server, server.issuer) as service:
        server.admin("services", "add", service.base, "--name", "Greetings", "--id", "greetings", "--claim", "name", "--allow-loopback")
        pending = server.run("admin", "services", "check", "greetings", "--json")
        server.admin("services", "approve", "greetings")
        server.admin("crawl", "run", "greetings")
        report = server.admin("services", "check", "greetings")
        server.admin("services", "remove", "greetings")

    assert pending.returncode == 4 and pending.stdout == "", "nobody gets assertions for a service that is pending"
    assert found(report, "error", "warning") == {}
    assert "revocation" in found(report, "ok")


def test_an_interrupted_check_leaves_nobody(server):
    """Ctrl-C in the middle of a check: version and person are ended all the same."""
    process = subprocess.Popen([BINARY, "admin", "services", "check", "viewer", "--json"], cwd=CHECKOUT, env=server.environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + ISSUER_WAITS_S
    while process.poll() is None and not [name for name in people(server) if name.startswith("pando-check-")]:
        assert time.monotonic() < deadline, "no person was made"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)

    assert process.returncode in (0, 1), "it ended by itself before, or was interrupted"
    assert not [name for name in people(server) if name.startswith("pando-check-")]


def test_a_dry_run_makes_nobody(server):
    """What a server does for a service's owner: what needs nobody's trust. As whom it should go is then a contradiction, said before anything is read."""
    before, trail = people(server), len(server.admin("audit", "list", "--action", "services.check", "--limit", "1000")["items"])
    report = server.admin("services", "check", "viewer", "--dry-run")
    against = [server.run("admin", "services", "check", "viewer", "--dry-run", *more, stdin="a staple of horses\n")
               for more in (("--patience", "2"), ("--bundle", "org.example.app"), ("--as", "ada", "--password-stdin"))]

    assert found(report, "error", "warning") == {} and report["assertions"] == "none"
    assert {"document", "forged", "events-forged"} <= set(found(report, "ok"))
    assert [finished.returncode for finished in against] == [2, 2, 2]
    assert people(server) == before
    assert len(server.admin("audit", "list", "--action", "services.check", "--limit", "1000")["items"]) == trail


def test_a_private_address_is_not_asked_unless_admitted(server):
    """By the rules of the crawler."""
    finished = server.run("check-service", f"{server.issuer}/services/viewer", "--json")

    assert finished.returncode == 7
    assert {"document", "token-endpoint-silent"} == set(found(json.loads(finished.stdout), "error"))


def test_what_is_not_there(server):
    """Words for whoever mistypes: 3, 5 and 2, as everywhere."""
    with pytest.raises(CommandFailed) as missing:
        server.admin("services", "check", "nowhere")
    assert missing.value.exit_code == 3
    assert server.run("check-service", "not a url").returncode == 5
    assert server.run("check-service", "https://learn.example.org", "--app", "org.example.app").returncode == 2
