"""People propose services of theirs, and show that they control them."""
from __future__ import annotations

import json
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from server import CommandFailed

PLACE = "/.well-known/pando-federation"
USAGE, CONFLICT, INVALID = 2, 4, 5
INSIDE = ["https://10.0.0.1", "https://169.254.169.254/latest", "https://[fd00::1]"]


@contextmanager
def website():
    """Answers what stands in `pages`, by path: status and text, or what makes the text."""
    pages: dict[str, tuple] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, text = pages.get(self.path, (404, ""))
            text = text() if callable(text) else text
            self.send_response(status)
            if status == 302:
                self.send_header("Location", text)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            self.wfile.write(text.encode())

        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=http.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_port}", pages
    finally:
        http.shutdown()
        http.server_close()


def refused(server, *arguments) -> int:
    with pytest.raises(CommandFailed) as failed:
        server.admin(*arguments)
    return failed.value.exit_code


def test_a_service_is_proposed_proven_and_accepted_and_its_proposer_owns_it(server):
    server.admin("accounts", "create", "--username", "prop-owner", "--password-stdin", stdin="a staple of horses\n")
    with website() as (base, pages):
        proposal = server.admin("services", "propose", base, "--account", "prop-owner", "--claim", "email", "--why", "to write to you",
                                "--claim", "name", "--why", "to greet you")
        number = proposal["id"]
        assert proposal["status"] == "proposed" and proposal["proof_url"] == base + PLACE
        assert refused(server, "services", "propose", base, "--account", "prop-owner") == CONFLICT

        prove = ("services", "proposals", "prove", number)
        assert refused(server, *prove) == CONFLICT  # nothing is there
        pages[PLACE] = (200, "something else\n")
        assert refused(server, *prove) == CONFLICT
        pages["/elsewhere"] = (200, proposal["proof"])
        pages[PLACE] = (302, "/elsewhere")
        assert refused(server, *prove) == CONFLICT
        pages[PLACE] = (200, "x" * 10_000 + "\n" + proposal["proof"])
        assert refused(server, *prove) == CONFLICT
        assert refused(server, "services", "proposals", "accept", number) == CONFLICT

        pages[PLACE] = (200, "# of ours\n" + proposal["proof"] + "\n")
        assert server.admin(*prove, "--dry-run")["status"] == "proven"
        assert server.admin("services", "proposals", "show", number)["status"] == "proposed"
        proven = server.admin(*prove)
        assert proven["status"] == "proven" and proven["report"]["findings"]

        assert refused(server, "services", "proposals", "accept", number, "--claim", "groups") == INVALID
        accepted = server.admin("services", "proposals", "accept", number, "--claim", "email", "--id", "proposed")
        assert accepted["status"] == "accepted" and accepted["service"] == "proposed"

    service = server.admin("services", "show", "proposed")
    assert service["status"] == "active" and service["claims"] == ["email"] and service["base"] == base
    [role] = server.admin("roles", "list", "--account", "prop-owner")["items"]
    assert (role["role"], role["service"]) == ("service-owner", "proposed")
    assert server.admin("services", "rotate-secret", "proposed")["client_secret"]


def test_an_address_inside_a_network_is_not_asked(server):
    """By name or number: the crawler's rules hold for the proof."""
    server.admin("accounts", "create", "--username", "prop-inside", "--password-stdin", stdin="a staple of horses\n")
    for base in INSIDE:
        proposal = server.admin("services", "propose", base, "--account", "prop-inside")
        with pytest.raises(CommandFailed) as failed:
            server.admin("services", "proposals", "prove", proposal["id"])
        assert failed.value.exit_code == CONFLICT and "could not be read" in failed.value.stderr
    for base in ["http://10.0.0.1", "https://user@grades.example", "https://grades.example?x=1", "ftp://grades.example", "grades"]:
        assert refused(server, "services", "propose", base, "--account", "prop-inside") == INVALID


def written(home: str) -> str:
    apis = {"org.ietf.oauth2": {"apiLink": home}, "org.example.grades": {"apiLink": f"{home}/api"}}
    return json.dumps({"engineName": "Grades", "engineId": "grades-of-uni", "engineLink": home, "homePageLink": home, "apis": apis})


def proposed(server) -> list[str]:
    return [proposal["id"] for proposal in server.admin("services", "proposals", "list", "--limit", "1000")["items"]]


def test_a_service_is_proposed_by_its_document_alone(server):
    """What is read there is shown to its proposer, holds for the service, and is where the crawler reads from then on: no page links to it."""
    server.admin("accounts", "create", "--username", "prop-document", "--password-stdin", stdin="a staple of horses\n")
    with website() as (base, pages):
        home, url = f"{base}/grades", f"{base}/rsd.json?v=1"
        pages["/rsd.json?v=1"] = (302, "/moved.json")
        pages["/moved.json"] = (200, written(home))
        propose = ("services", "propose", "--rsd", url, "--account", "prop-document", "--claim", "email", "--why", "to write to you")
        before = proposed(server)
        tried = server.admin(*propose, "--dry-run")
        assert proposed(server) == before

        proposal = server.admin(*propose)
        read = proposal["document"]
        assert (proposal["base"], proposal["name"], proposal["rsd"], proposal["proof_url"]) == (home, "Grades", url, home + PLACE)
        assert (read["id"], read["name"], read["token_endpoint"]) == ("grades-of-uni", "Grades", f"{home}/token") and tried["document"] == read
        assert read["protocols"] == ["org.example.grades", "org.ietf.oauth2"]
        assert {"protocol": "org.example.grades", "url": f"{home}/api"} in read["links"]

        assert refused(server, "services", "proposals", "prove", proposal["id"]) == CONFLICT
        pages["/grades" + PLACE] = (200, proposal["proof"])
        proven = server.admin("services", "proposals", "prove", proposal["id"])
        assert "document" in {finding["id"] for finding in proven["report"]["findings"] if finding["severity"] == "ok"}
        assert server.admin("services", "proposals", "accept", proposal["id"], "--claim", "email")["service"] == "grades-of-uni"
        crawled = server.admin("crawl", "run", "grades-of-uni")["items"][0]

    service = server.admin("services", "show", "grades-of-uni")
    server.admin("services", "remove", "grades-of-uni")
    assert (service["base"], service["name"], service["rsd"]) == (home, "Grades", url)
    assert crawled["source"] == "registered" and crawled["outcome"] != "failed"


@pytest.mark.parametrize("page, words", [
    ((404, ""), "answered 404"), ((200, "<!doctype html><title>Log in</title>"), "no RSD document"), ((200, '{"engineName": '), "broken beyond repair"),
    ((200, "{" + " " * (2 << 20) + "}"), "too large"), ((302, "/rsd.json"), "in a circle"), ((302, "http://10.0.0.1/rsd"), "could not be read from here"),
    ((200, written("https://elsewhere.example")), "homePageLink"), ((200, lambda: time.sleep(12) or written("")), "too slow")],
    ids=["missing", "login", "broken", "huge", "circle", "inside", "elsewhere", "slow"])
def test_a_document_that_cannot_be_read_proposes_nothing(server, page, words):
    name = f"prop-{abs(hash(words)) % 10**9}"
    server.admin("accounts", "create", "--username", name, "--password-stdin", stdin="a staple of horses\n")
    before = proposed(server)
    with website() as (base, pages):
        pages["/rsd.json"] = page
        with pytest.raises(CommandFailed) as failed:
            server.admin("services", "propose", "--rsd", f"{base}/rsd.json", "--account", name)
    assert failed.value.exit_code == INVALID and words in failed.value.stderr, failed.value.stderr
    assert proposed(server) == before


def test_a_document_inside_a_network_is_not_asked(server):
    server.admin("accounts", "create", "--username", "prop-far", "--password-stdin", stdin="a staple of horses\n")
    before = proposed(server)
    for url in INSIDE:
        with pytest.raises(CommandFailed) as failed:
            server.admin("services", "propose", "--rsd", f"{url}/rsd.json", "--account", "prop-far")
        assert failed.value.exit_code == INVALID and "could not be read from here" in failed.value.stderr
    for url in ["http://10.0.0.1/rsd", "ftp://grades.example/rsd", "https://user@grades.example/rsd", "rsd"]:
        assert refused(server, "services", "propose", "--rsd", url, "--account", "prop-far") == INVALID
    assert refused(server, "services", "propose", "--account", "prop-far") == USAGE
    assert proposed(server) == before
