"""examples/apps/python and examples/SmallApp: phone apps on a command line, which do the same, as their READMEs say and where things go wrong."""
from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

import pytest

from browsing import Browser
from phone import PASSWORD, person
from readme import EXAMPLES, Readme
from seeing import forget, goes_on, log_in
from server import CHECKOUT, Server, plain_environment
from test_dpop_nonce import strict  # noqa: F401
from test_tiqr_browser import enroll, somebody
from tiqr_phone import LOGGED_IN, TiqrPhone

SMALL_APP = CHECKOUT / ".build/debug/SmallApp"
VIEWER, OTHER = "ch.pando.viewer", "org.example.photos"
SHOWN = "open on your phone: "


class PythonApp:
    """One installation: a program, and its state. `readme` is where it is shown, `small` its software id there."""

    readme = "apps/python"

    def __init__(self, folder: Path):
        self.folder = Path(mkdtemp(dir=folder))
        self.state, self.key = self.folder / "state", self.folder / "key"
        self.release, self.app = 0, f"org.example.{self.folder.name.replace('_', '-')}"

    def command(self, *words: str) -> list:
        return [sys.executable, EXAMPLES / "apps/python/app.py", "--state", self.state, *words]

    def login(self, name: str, factor: str | None = None) -> list:
        return self.command("login", name, *(["--factor", factor] if factor else []))

    def kept(self) -> dict:
        return json.loads(self.state.read_text())

    def tokens(self, name: str) -> dict:
        return self.kept()[name]

    def expire(self) -> None:
        """As if time had passed for everything that it has."""
        kept = self.kept()
        self.state.write_text(json.dumps({name: value | {"expires": 0} if "expires" in value else value for name, value in kept.items()}))

    # What both do

    def run(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess:
        return self.finished(self.command(*words), stdin)

    def finished(self, command: list, stdin: str = "") -> subprocess.CompletedProcess:
        environment = plain_environment() | {"PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(command, cwd=self.folder, env=environment, input=stdin, text=True, capture_output=True, timeout=120)

    def does(self, *words: str, stdin: str = "") -> str:
        finished = self.run(*words, stdin=stdin)
        assert finished.returncode == 0, f"{words}: {finished.stdout}{finished.stderr}"
        return finished.stdout

    def fails(self, *words: str, stdin: str = "") -> str:
        """What it says then: one line, and nothing of how it is made."""
        finished = self.run(*words, stdin=stdin)
        assert finished.returncode == 1 and finished.stderr.count("\n") == 1, finished.stderr
        return finished.stderr

    def register(self, server: Server) -> str:
        """By a new version of the app."""
        self.release += 1
        if self.release == 1:
            server.admin("apps", "create", self.app, "--name", "Example")
        key = f"{self.key}-{self.release}"
        server.admin("apps", "versions", "add", self.app, str(self.release), "--jwk", "-", stdin=self.does("key", key))
        return self.does("register", server.issuer, self.app, str(self.release), key)

    def log_in(self, name: str) -> None:
        finished = self.finished(self.login(name), PASSWORD + "\n")
        assert finished.returncode == 0, finished.stderr


class SmallApp(PythonApp):
    readme = "SmallApp"

    def command(self, *words: str) -> list:
        return [SMALL_APP, self.state, *words]

    def login(self, name: str, factor: str | None = None) -> list:
        return self.command("login", name, *([factor] if factor else []))

    def tokens(self, name: str) -> dict:
        return self.kept()["tokens"][name]

    def expire(self) -> None:
        kept = self.kept()
        for tokens in kept["tokens"].values():
            tokens["expires"] = 0       # of 2001, where Foundation's clock begins
        self.state.write_text(json.dumps(kept))


BUILT = pytest.mark.skipif(not SMALL_APP.exists(), reason=f"there is no {SMALL_APP}: make build")
EACH = [pytest.param(PythonApp, id="python"), pytest.param(SmallApp, id="swift", marks=BUILT)]


@pytest.fixture(params=EACH)
def app(request, folder) -> PythonApp:
    """Not registered yet."""
    return request.param(folder)


@pytest.fixture
def name(server) -> str:
    return person(server)


@pytest.fixture
def used(server, app, name) -> PythonApp:
    """Registered, and somebody logged in."""
    app.register(server)
    app.log_in(name)
    return app


@pytest.mark.parametrize("example", EACH)
def test_as_the_readme_says(server, folder, example):
    """From the operator's part to the end of the installation, which leaves no keys behind."""
    place = Path(mkdtemp(dir=folder)) / "place"

    printed = Readme(server, example.readme, PLACE=str(place)).run()

    [shown] = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    assert shown["client_id"] == OTHER and shown["attributes"]["email"].endswith("@example.org")
    assert "registered as " in printed and "logged in as " in printed and printed.endswith("refreshed\ndisconnected\n")
    assert not list(place.glob("*.json"))


def test_what_it_keeps_is_for_its_owner(used, name):
    """The other app's answer is in the name of both apps; keys and tokens are in a file that only the owner reads."""
    shown = json.loads(used.does("get", VIEWER, OTHER))

    assert (shown["app"], shown["client_id"], shown["attributes"]["email"]) == (used.app, OTHER, f"{name}@example.org")
    files = [path for path in used.folder.iterdir() if path.name.startswith("state")]
    assert used.state in files and all(path.stat().st_mode & 0o777 == 0o600 for path in files)


def test_what_has_expired_is_refreshed(server, used):
    """Each token that is shown: of the person, and of the service."""
    used.does("get", VIEWER, OTHER)
    before = used.tokens("person")
    used.expire()

    used.does("get", VIEWER, OTHER)

    assert used.tokens("person") != before
    assert used.does("refresh") == "refreshed\n"


def test_what_has_ended_at_a_service_is_opened_anew(server, used, name):
    """The next assertion takes its place."""
    used.does("get", VIEWER, OTHER)
    account = server.admin("accounts", "show", name)["id"]
    server.admin("tokens", "revoke", f"use:{account}/viewer")

    assert json.loads(used.does("get", VIEWER, OTHER))["client_id"] == OTHER


def test_the_next_version_takes_over(server, used):
    """The instance stays, and with it the login."""
    before = used.kept()

    again = used.register(server)

    assert again.split()[-1] in json.dumps(before) and used.kept() != before
    assert "Attributes viewer" in used.does("find", VIEWER)


@pytest.mark.parametrize("factor", ["tiqr", None], ids=["as it asks", "as the account asks"])
def test_with_a_second_factor(server, chromium, app, factor):
    """It shows the link, waits, and goes on when the phone has answered."""
    name, phone = somebody(server, chromium)
    app.register(server)
    if factor is None:
        server.admin("accounts", "update", name, "--require-factor", "any")

    process = subprocess.Popen(app.login(name, factor), env=plain_environment() | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.stdin.write(PASSWORD + "\n")
        process.stdin.flush()
        shown = process.stdout.readline()
        assert shown.startswith(SHOWN), shown + process.stderr.read()
        assert phone.answer(shown.removeprefix(SHOWN).strip()) == LOGGED_IN
        printed, complaints = process.communicate(timeout=90)
    finally:
        process.kill()
        process.wait()

    assert process.returncode == 0 and printed == f"logged in as {name}\n", complaints
    assert "Attributes viewer" in app.does("find", VIEWER)


def test_with_a_code_on_paper(server, chromium, app):
    """For who has a phone elsewhere. A wrong one is refused, and what was right once is not again."""
    name = person(server)
    codes = codes_on_paper(server, name)
    forget(chromium)
    chromium.open(f"{server.issuer}/account/phones/add")
    log_in(chromium, name)
    enroll(chromium, TiqrPhone())
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url
    app.register(server)
    login = app.login(name, "recovery")

    assert app.finished(login, f"{PASSWORD}\n{codes[0]}\n").stdout.endswith(f"logged in as {name}\n")
    for wrong in (codes[0], "0000-0000"):
        refused = app.finished(login, f"{PASSWORD}\n{wrong}\n")
        assert refused.returncode == 1 and "access_denied" in refused.stderr


def codes_on_paper(server: Server, name: str) -> list[str]:
    browser, page = Browser(server.issuer, name), f"{server.issuer}/account/recovery"
    browser.walk(page)
    shown = browser.open(page)
    form = next(form for form in shown.forms if "remove" not in form.action and "logout" not in form.action)
    return re.findall("<li><code>(.*?)</code></li>", browser.submit(shown, form).text)


def test_an_account_that_asks_for_a_factor_and_has_none(server, app, name):
    """Nobody is asked for anything: the person gets one in a browser."""
    app.register(server)
    server.admin("accounts", "update", name, "--require-factor", "any")

    finished = app.finished(app.login(name), PASSWORD + "\n")

    assert finished.returncode == 1 and finished.stderr.count("\n") == 1 and SHOWN not in finished.stdout, finished.stderr


def test_a_wish_that_nobody_can_fulfil(server, app, name):
    """Who has no such phone logs in as they can."""
    app.register(server)

    assert app.finished(app.login(name, "tiqr"), PASSWORD + "\n").stdout == f"logged in as {name}\n"


def test_a_wrong_password(server, app, name):
    app.register(server)

    assert "access_denied" in app.fails("login", name, stdin="wrong\n")


def test_a_version_that_is_refused(server, app):
    """It is told so, and nothing is registered."""
    app.register(server)
    server.admin("apps", "versions", "refuse", app.app, "1")
    app.state.unlink()

    assert "invalid_client" in app.fails("register", server.issuer, app.app, "1", f"{app.key}-1")
    assert app.fails("find", VIEWER)


def test_nothing_is_left_after_disconnecting(server, used):
    """Neither keys nor, at the server, the instance."""
    kept = used.state.read_bytes()
    assert used.does("disconnect") == "disconnected\n"
    assert not used.state.exists() and used.fails("find", VIEWER)

    used.state.write_bytes(kept)

    assert "invalid_grant" in used.fails("find", VIEWER)


def test_a_server_that_wants_its_nonce_in_each_proof(strict, app):  # noqa: F811
    """RFC 9449, 8: asked for one, it asks again with it."""
    app.register(strict)
    app.log_in(person(strict))

    assert json.loads(app.does("get", VIEWER, OTHER))["client_id"] == OTHER


def test_services_that_are_not_there(used):
    assert used.does("find", "org.example.nobody-offers-this").strip() == ""
    assert used.fails("get", "org.example.nobody-offers-this", OTHER)


def test_another_issuer_gets_no_keys(used):
    """One state is for one issuer: a token shown elsewhere would be somebody else's."""
    assert used.fails("register", "http://127.0.0.1:9", used.app, "1", f"{used.key}-1")
