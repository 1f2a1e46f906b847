"""`pando demo`: the whole path by an app that ships with the server, against a server it knows only by its URL."""
from __future__ import annotations

import io
import json
import re

import pytest
from PIL import Image

from tiqr_phone import codes


@pytest.fixture(scope="module")
def help_text(server) -> str:
    text = server.run("demo", "--help").stdout
    if "--json" not in text:
        pytest.skip("this binary's `pando demo` has no --json yet")
    return text


def test_it_walks_to_its_end(server, help_text):
    """Registers, logs in, finds, goes, hands on, is revoked: exit code 0 and one JSON value on stdout."""
    finished = server.run("demo", "--json", "--issuer", server.issuer)

    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)


def test_it_says_when_nobody_answers(server, help_text):
    """An address without a server is told in words, not as a trace."""
    finished = server.run("demo", "--json", "--issuer", "http://localhost:9")

    assert finished.returncode != 0 and finished.stderr.strip() and "Fatal" not in finished.stderr


def tiqr_steps(server, *arguments: str) -> list[dict]:
    finished = server.run("demo", "tiqr", "--json", "--issuer", server.issuer, *arguments)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def test_tiqr_walks_to_its_end(server):
    """`pando demo tiqr`: enrolled, a wrong PIN, a right one, a typed code, removed; each with what it says."""
    steps = tiqr_steps(server)
    facts = [step["facts"] for step in steps]

    assert [fact["status"] for fact in facts if "status" in fact] == ["initialized", "retrieved", "finalized", "pending", "authenticated", "authenticated"]
    assert [fact["attempts_left"] for fact in facts if "attempts_left" in fact] == [4]
    assert [fact["method"] for fact in facts if "method" in fact] == ["online", "otp"]
    assert facts[-1]["answer"].startswith("205")


def test_tiqr_draws_its_codes(server):
    """In text the QR codes of both links are there, without colours where nobody sees them; the links can be read off them."""
    finished = server.run("demo", "tiqr", "--issuer", server.issuer)
    assert finished.returncode == 0, finished.stderr

    assert finished.stdout.count("tiqrenroll://") == 1 and finished.stdout.count("tiqrauth://") == 1
    assert "\x1b" not in finished.stdout
    drawings = re.findall(r"(?:^ {4}[ █▀▄]+$\n){20,}", finished.stdout, re.MULTILINE)
    links = re.findall(r"\S+://\S+", " ".join(line for line in finished.stdout.splitlines() if line.strip().startswith("link ")))
    assert [scanned(drawing) for drawing in drawings] == [[link] for link in links] and len(links) == 2


def scanned(drawing: str) -> list[str]:
    """What a phone would read: each letter is two modules, one above the other."""
    rows = [line[4:] for line in drawing.splitlines()]
    picture = Image.new("L", (max(map(len, rows)) * 4, len(rows) * 8), 255)
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            for half, letters in ((0, "█▀"), (1, "█▄")):
                if letter in letters:
                    picture.paste(0, (x * 4, y * 8 + half * 4, x * 4 + 4, y * 8 + half * 4 + 4))
    taken = io.BytesIO()
    picture.save(taken, "PNG")
    return codes(taken.getvalue())


def test_tiqr_takes_a_client(server):
    """--client with its secret on stdin stands in for the one in demo.json; a wrong secret is told in words."""
    client = server.admin("clients", "create", "--name", "shop", "--grant", "client_credentials", "--scope", "org.tiqr.enroll", "--scope", "org.tiqr.auth")
    command = ("demo", "tiqr", "--json", "--issuer", server.issuer, "--client", client["client_id"], "--secret-stdin")

    assert server.run(*command, stdin=client["client_secret"]).returncode == 0
    refused = server.run(*command, stdin="not the secret")
    assert refused.returncode == 1 and "invalid_client" in refused.stderr and refused.stdout == ""
    assert server.run(*command[:-1]).returncode == 2, "a client without its secret"


def test_tiqr_says_what_is_missing(server, tmp_path):
    """Without demo.json it says where it looked and what to do."""
    finished = server.run("demo", "tiqr", "--issuer", server.issuer, PANDO_STATE_DIRECTORY=str(tmp_path))

    assert finished.returncode == 1 and "demo.json" in finished.stderr and "--client" in finished.stderr


def operations_steps(server, *arguments: str) -> list[dict]:
    finished = server.run("demo", "operations", "--json", "--issuer", server.issuer, *arguments)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def test_operations_walk_to_their_end(server):
    """`pando demo operations`: activated, approved, rejected with a reason, approved offline, removed; and once more, with what is there already."""
    for _ in range(2):
        facts = [step["facts"] for step in operations_steps(server)]

        assert [fact["status"] for fact in facts if "status" in fact] == ["CREATED", "PENDING_COMMIT", "ACTIVE", "PENDING", "APPROVED", "REJECTED", "APPROVED",
                                                                          "REMOVED"]
        assert [(fact["phone_shows"], fact["bank_shows"]) for fact in facts if "phone_shows" in fact] == [(facts[4]["phone_shows"],) * 2]
        assert re.fullmatch(r"\d{8}", facts[4]["phone_shows"])
        assert [fact["signed_by"] for fact in facts if "signed_by" in fact] == ["possession", "possession_knowledge", "possession_knowledge"]
        assert [fact["reason"] for fact in facts if "reason" in fact] == ["UNEXPECTED_OPERATION"]
        assert [fact["Amount"] for fact in facts if "Amount" in fact] and facts[-1]["answer"].startswith("401")


def test_a_phone_of_powerauth_4_walks_the_same_way(server):
    """`pando demo operations --algorithm`: protocol 4 with ML-KEM and ML-DSA, over the same steps."""
    facts = [step["facts"] for step in operations_steps(server, "--algorithm", "EC_P384_ML_L3")]

    assert [fact["status"] for fact in facts if "status" in fact] == ["CREATED", "PENDING_COMMIT", "ACTIVE", "PENDING", "APPROVED", "REJECTED", "APPROVED",
                                                                      "REMOVED"]
    assert [fact["signed_by"] for fact in facts if "signed_by" in fact] == ["possession", "possession_knowledge", "possession_knowledge"]


def test_operations_draw_their_codes(server):
    """Activation code and offline code can be read off the terminal: each says what its facts say."""
    finished = server.run("demo", "operations", "--issuer", server.issuer)
    assert finished.returncode == 0, finished.stderr

    assert "\x1b" not in finished.stdout
    [activation], [offline] = [scanned(drawing) for drawing in re.findall(r"(?:^ {4}[ █▀▄]+$\n){20,}", finished.stdout, re.MULTILINE)]
    facts = dict(re.findall(r"^ {4}(code|operation|nonce) +(\S+)$", finished.stdout, re.MULTILINE))
    assert activation == facts["code"]
    assert offline.split("\n")[0] == facts["operation"] and facts["nonce"] in offline


def test_operations_take_a_client(server):
    """As tiqr's; and --curl prints each request, without tokens and secrets."""
    client = server.admin("clients", "create", "--name", "bank", "--grant", "client_credentials", "--scope", "com.wultra.operations")
    command = ("demo", "operations", "--issuer", server.issuer, "--curl", "--client", client["client_id"], "--secret-stdin")

    finished = server.run(*command, stdin=client["client_secret"])

    assert finished.returncode == 0, finished.stderr
    assert "X-PowerAuth-Authorization: PowerAuth" in finished.stdout and "curl" in finished.stdout
    assert client["client_secret"] not in finished.stdout
    refused = server.run(*command, stdin="not the secret")
    assert refused.returncode == 1 and "invalid_client" in refused.stderr


def liquid_steps(server, *arguments: str) -> list[dict]:
    finished = server.run("demo", "liquid", "--json", "--issuer", server.issuer, *arguments)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def test_liquid_walks_to_its_end(server):
    """`pando demo liquid`: a page waits, a wallet registers and the page is logged in, offer and answer go over, the operator ends the page's session."""
    facts = [step["facts"] for step in liquid_steps(server)]

    assert [fact["user"] for fact in facts if "user" in fact] == [None]
    [registered] = [fact for fact in facts if "page_is" in fact]
    assert registered["page_is"] == registered["wallet"] and re.fullmatch(r"[A-Z2-7]{58}", registered["wallet"])
    assert [fact["heard_by"] for fact in facts if "heard_by" in fact] == ["the page", "the wallet"]
    [cut] = [fact for fact in facts if "node" in fact]
    assert cut["socket"] == "closed" and cut["node"].startswith("session:liquid:") and registered["wallet"] in cut["command"]
    assert [fact["passkeys"] for fact in facts if "passkeys" in fact] == [1] and facts[-1]["answer"].startswith("401")


def test_liquid_draws_its_code(server):
    """The link can be read off the terminal; --curl prints each request, without what the cookie is worth."""
    finished = server.run("demo", "liquid", "--curl", "--issuer", server.issuer)
    assert finished.returncode == 0, finished.stderr

    assert "\x1b" not in finished.stdout
    [drawing] = re.findall(r"(?:^ {4}[ █▀▄]+$\n){15,}", finished.stdout, re.MULTILINE)
    [link] = re.findall(r"^ {4}link +(\S+)$", finished.stdout, re.MULTILINE)
    assert scanned(drawing) == [link] and link.startswith(f"liquid://{server.issuer.removeprefix('http://')}/?requestId=")
    assert "Cookie: connect.sid=s%" in finished.stdout and not re.search(r"connect\.sid=s%3A[\w-]{65}", finished.stdout)


def test_liquid_needs_its_operator(server, tmp_path):
    """Where `pando admin` does not work, it says so at that step, and how it would."""
    finished = server.run("demo", "liquid", "--issuer", server.issuer, PANDO_DATABASE="", PANDO_STATE_DIRECTORY=str(tmp_path))

    assert finished.returncode == 1 and "operator" in finished.stderr and "pando admin" in finished.stderr


def test_the_demo_still_stands_alone(server, help_text):
    """A subcommand takes nothing from its parent: options before its name and behind it are the same."""
    assert all(name in help_text for name in ("tiqr", "operations", "liquid"))

    before = server.run("demo", "--json", "--issuer", server.issuer, "tiqr")

    assert before.returncode == 0 and len(json.loads(before.stdout)) == len(tiqr_steps(server))
