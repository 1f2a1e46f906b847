"""examples/spa in Chromium, at an origin of its own: login, refresh, APIs, logout; and a copy of it at an origin that no client registered."""
from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import secrets
import shlex
import signal
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlencode

import pytest
import requests

from browsing import Browser
from chromium import Chromium
from phone import PASSWORD, person
from server import BINARY, CHECKOUT, Server, free_port
from test_dpop_nonce import strict  # noqa: F401
from waiting import eventually

README = CHECKOUT / "examples/spa/README.md"


class Page:
    """The example as its README sets it up: `origin` is registered, `copy` leads to the same files and is not."""

    def __init__(self, server: Server, folder: Path):
        self.server, port = server, free_port()
        self.origin, self.copy = f"http://localhost:{port}", f"http://127.0.0.1:{port}"
        [script] = re.findall(r"^```sh\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
        environment = server.environment | {"ISS": server.issuer, "PORT": str(port), "PLACE": str(folder)}
        shim = f'pando() {{ {shlex.quote(str(BINARY))} "$@"; }}\n'
        self.process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", shim + script], cwd=CHECKOUT, env=environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        assert eventually(self.is_there, within_s=60, every_s=0.1), "the README's lines serve nothing"
        self.client_id = re.search('data-client="([^"]+)"', (folder / "index.html").read_text())[1]

    def is_there(self) -> bool:
        assert self.process.poll() is None, f"the README's lines left {self.process.returncode}"
        try:
            return requests.get(f"{self.copy}/", timeout=5).status_code == 200
        except requests.RequestException:
            return False

    def close(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=10)


@pytest.fixture(scope="module")
def page(server, folder) -> Page:
    page = Page(server, Path(tempfile.mkdtemp(dir=folder)))
    yield page
    page.close()


@pytest.fixture(scope="module")
def browser(folder) -> Chromium:
    browser = Chromium(Path(tempfile.mkdtemp(dir=folder)), {})
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def vera(server) -> str:
    server.admin("accounts", "create", "--username", "vera.muster", "--password-stdin", "--email", "vera.muster@example.org", "--name", "Vera Muster", stdin=PASSWORD)
    return "vera.muster"


def says(browser: Chromium, words: str) -> bool:
    return eventually(lambda: words in browser.text, within_s=30, every_s=0.05)


def run(browser: Chromium, script: str):
    """What the body of an async function returns in the page that is open."""
    answer = browser.devtools("Runtime.evaluate", expression=f"(async () => {{ {script} }})()", awaitPromise=True, returnByValue=True)
    assert "exceptionDetails" not in answer, answer["exceptionDetails"]
    return answer["result"].get("value")


def kept(browser: Chromium) -> dict:
    return run(browser, 'return (await import("/kept.js")).read("tokens")')


def log_in(browser: Chromium, page: Page, username: str) -> None:
    browser.open(f"{page.origin}/")
    assert says(browser, "Nobody is logged in")
    browser.click("#login")
    assert browser.url.startswith(page.server.issuer), browser.url
    browser.type(username=username, password=PASSWORD)
    browser.click("main button")
    browser.click("button[value=allow]")
    assert says(browser, "You are logged in"), browser.text


@pytest.fixture(scope="module")
def logged_in(browser, page, vera) -> Chromium:
    log_in(browser, page, vera)
    return browser


def test_a_person_logs_in_and_the_page_is_told_who_it_is(logged_in, page):
    assert "Vera Muster" in logged_in.text and "vera.muster@example.org" in logged_in.text
    assert logged_in.url == f"{page.origin}/", "the code is out of the address"
    assert kept(logged_in)["token_type"] == "DPoP"
    assert logged_in.complaints() == []


def test_its_tokens_are_bound_to_a_key_that_no_script_can_read(logged_in):
    found = run(logged_in, '''const { privateKey } = await (await import("/kept.js")).read("key");
        return crypto.subtle.exportKey("jwk", privateKey).then(() => "read", error => `${privateKey.extractable} ${error.name}`)''')
    own = run(logged_in, 'return (await import("/proof.js")).thumbprint()')
    payload = kept(logged_in)["access_token"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))

    assert found == "false InvalidAccessError"
    assert claims["cnf"]["jkt"] == own


def test_it_refreshes_and_asks_again_also_after_a_reload(logged_in, page):
    before = kept(logged_in)
    logged_in.element("#refresh").click()
    assert says(logged_in, "The tokens are fresh")
    after = kept(logged_in)
    logged_in.open(f"{page.origin}/")
    assert says(logged_in, "Vera Muster")

    assert before["access_token"] != after["access_token"] and before["refresh_token"] != after["refresh_token"]


def test_it_asks_an_api_of_the_federation(logged_in):
    logged_in.element("#services").click()

    assert says(logged_in, " found."), logged_in.text
    assert "That did not work" not in logged_in.text and "0 found" not in logged_in.text


def test_it_reads_refusals(logged_in, page):
    told = run(logged_in, '''const { redeem } = await import("/login.js");
        return redeem("abc", "x".repeat(43), "n").then(() => "redeemed", error => error.code)''')
    bare = run(logged_in, f'''const answer = await fetch("{page.server.issuer}/userinfo");
        return [answer.status, answer.headers.get("WWW-Authenticate")]''')

    assert told == "invalid_grant"
    assert bare[0] == 401 and "invalid_token" in bare[1]


def a_code(page: Page, username: str) -> tuple[str, str]:
    """A code for the page, and its verifier: as somebody has it who looked over a shoulder."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    question = urlencode({"response_type": "code", "client_id": page.client_id, "redirect_uri": f"{page.origin}/", "scope": "openid profile email discovery",
                          "state": "s", "nonce": "n", "code_challenge": challenge, "code_challenge_method": "S256"})
    back = Browser(page.server.issuer, username).come_back(f"{page.server.issuer}/authorize?{question}")
    return dict(part.split("=", 1) for part in back.split("?", 1)[1].split("&"))["code"], verifier


def test_a_copy_at_an_origin_that_is_not_registered_gets_nothing_and_uses_nothing_up(browser, logged_in, page, vera):
    code, verifier = a_code(page, vera)
    form = urlencode({"grant_type": "authorization_code", "client_id": page.client_id, "code": code, "code_verifier": verifier, "redirect_uri": f"{page.origin}/"})
    browser.open(f"{page.copy}/")
    assert says(browser, "Nobody is logged in")
    # With a proof, as the page itself would, the browser asks before and does not send it; without, it sends it, and reads nothing.
    shown = run(browser, f'''const {{ fetchWithProof }} = await import("/proof.js");
        const options = {{ method: "POST", body: new URLSearchParams("{form}") }}, url = "{page.server.issuer}/token";
        const tried = ask => ask.then(answer => `read ${{answer.status}}`, error => error.name);
        return [await tried(fetchWithProof(url, options)), await tried(fetch(url, options)), (await fetch(url, {{ ...options, mode: "no-cors" }})).type]''')
    browser.complaints()
    browser.open(f"{page.origin}/")
    assert says(browser, "Vera Muster")
    redeemed = run(browser, f'''const {{ redeem }} = await import("/login.js");
        return redeem("{code}", "{verifier}", "n").then(() => "redeemed", error => error.message)''')
    used = run(browser, f'''const {{ redeem }} = await import("/login.js");
        return redeem("{code}", "{verifier}", "n").then(() => "redeemed", error => error.code)''')

    assert shown == ["TypeError", "TypeError", "opaque"]
    assert redeemed == "redeemed" and used == "invalid_grant"


def test_outside_a_browser_the_refusal_says_why(page):
    refused = requests.post(f"{page.server.issuer}/token", headers={"Origin": page.copy}, timeout=30,
                            data={"grant_type": "authorization_code", "client_id": page.client_id, "code": "abc"})
    preflight = requests.options(f"{page.server.issuer}/token", timeout=30, headers={
        "Origin": page.copy, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "dpop"})

    for answer in (refused, preflight):
        assert answer.status_code == 403 and answer.json()["error"] == "access_denied"
        assert "Access-Control-Allow-Origin" not in answer.headers and answer.headers["Cache-Control"] == "no-store"


def test_a_person_logs_out_here_and_at_the_provider(browser, page, vera):
    """Begins anew: the code of the test before was shown twice, which ended what it gave."""
    browser.open(f"{page.origin}/")
    run(browser, 'return (await import("/kept.js")).forget("tokens")')
    browser.open(f"{page.origin}/")
    assert says(browser, "Nobody is logged in")
    browser.click("#login")
    browser.click("button[value=allow]")  # asked each time: a loopback address is anybody's (RFC 8252, 8.6)
    assert says(browser, "You are logged in"), browser.text
    old = kept(browser)
    browser.complaints()
    browser.click("#logout")
    assert says(browser, "Nobody is logged in"), browser.text

    assert browser.url == f"{page.origin}/" and kept(browser) is None
    assert browser.complaints() == []
    # Without its key the token is nothing anyway; the server knows that it is over.
    refused = requests.get(f"{page.server.issuer}/userinfo", headers={"Authorization": f"DPoP {old['access_token']}"}, timeout=30)
    assert refused.status_code == 401
    browser.click("#login")
    assert browser.element("[name=password]"), "the session at the provider is over, too"


@pytest.fixture
def wanting_nonces(strict, folder):  # noqa: F811
    """The page of a server that wants its nonce in every proof, and a browser that was nowhere else: cookies are for all ports of a host."""
    page, browser = Page(strict, Path(tempfile.mkdtemp(dir=folder))), Chromium(Path(tempfile.mkdtemp(dir=folder)), {})
    yield page, browser
    browser.close()
    page.close()


def test_where_the_server_wants_its_nonce_it_asks_once_more(wanting_nonces):
    """RFC 9449, 8 and 9: 400 at the token endpoint, after a reload 401 at userinfo; the nonce that came then is good for what follows."""
    page, browser = wanting_nonces
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source="""
        const own = window.fetch;
        window.answers = { "/token": [], "/userinfo": [] };
        window.fetch = async (...given) => {
            const answer = await own(...given);
            answers[new URL(answer.url).pathname]?.push(answer.status);
            return answer;
        };""")

    log_in(browser, page, person(page.server))
    at_login = run(browser, "return answers")
    browser.element("#refresh").click()
    assert says(browser, "The tokens are fresh"), browser.text
    refreshed = run(browser, "return answers")
    browser.open(f"{page.origin}/")
    assert says(browser, "You are logged in"), browser.text
    reloaded = run(browser, "return answers")

    assert at_login == {"/token": [400, 200], "/userinfo": [200]}
    assert refreshed == {"/token": [400, 200, 200], "/userinfo": [200, 200]}
    assert reloaded == {"/token": [], "/userinfo": [401, 200]}
