"""docs/saml.md: SATOSA between a SAML service provider and this server; an assertion arrives with what the server says of the person."""
from __future__ import annotations

import html
import os
import secrets
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import parse_qs

import pytest
import requests
from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.client import Saml2Client
from saml2.config import SPConfig
from saml2.metadata import entity_descriptor

from chromium import Chromium
from phone import person
from recipe import Recipe, log_in
from server import free_port
from waiting import eventually

AC_UNSPECIFIED = "urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified"

XMLSEC = Path("/usr/bin/xmlsec1")
PAGE = "docs/saml.md"


class ServiceProvider:
    """By pysaml2: `/` sends to the identity provider, `/acs` takes assertions; of who came it keeps attributes, name and how they logged in."""

    def __init__(self):
        self.listener = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"provider": self}))
        self.home = f"http://127.0.0.1:{self.listener.server_port}"
        self.settings = {
            "entityid": f"{self.home}/metadata", "xmlsec_binary": str(XMLSEC), "accepted_time_diff": 60,
            "service": {"sp": {"endpoints": {"assertion_consumer_service": [(f"{self.home}/acs", BINDING_HTTP_POST)]}, "allow_unsolicited": False,
                               "want_response_signed": False, "want_assertions_signed": True, "authn_requests_signed": False,
                               "name_id_format": ["urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"]}}}
        self.metadata = str(entity_descriptor(SPConfig().load(self.settings)))
        self.asked: dict[str, str] = {}
        self.identities: list[dict] = []
        self.names: list[str] = []
        self.contexts: list[str] = []
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def trust(self, metadata: str) -> None:
        """An identity provider."""
        self.client = Saml2Client(SPConfig().load(self.settings | {"metadata": {"inline": [metadata]}}))

    def begin(self) -> str:
        identifier, request = self.client.prepare_for_authenticate(binding=BINDING_HTTP_REDIRECT)
        self.asked[identifier] = "/"
        return dict(request["headers"])["Location"]

    def take(self, response: str) -> str:
        parsed = self.client.parse_authn_request_response(response, BINDING_HTTP_POST, outstanding=self.asked)
        self.identities.append(parsed.get_identity())
        self.names.append(parsed.get_subject().text)
        self.contexts.append(parsed.authn_info()[0][0])
        return f"Welcome, {parsed.get_identity()['mail'][0]}"

    def close(self) -> None:
        self.listener.shutdown()
        self.listener.server_close()


class _Handler(BaseHTTPRequestHandler):
    provider: ServiceProvider

    def log_message(self, *arguments) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self.send_response(302 if self.path == "/" else 404)
        self.send_header("Location", self.provider.begin() if self.path == "/" else "/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        try:
            status, text = 200, self.provider.take(form["SAMLResponse"][0])
        except Exception as problem:  # the browser shows it, and the test
            status, text = 403, repr(problem)
        body = html.escape(text).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Satosa:
    """The proxy with the page's files, run as the page says."""

    def __init__(self, folder: Path, recipe: Recipe, port: int, backend: str, sp: str):
        self.folder, self.home = folder, f"http://127.0.0.1:{port}"
        for name in ("proxy_conf", "internal_attributes", "frontend"):
            (folder / f"{name}.yaml").write_text(recipe.fence(f"yaml {name}"))
        (folder / "backend.yaml").write_text(backend)
        (folder / "sp.xml").write_text(sp)
        subprocess.run(["bash", "-c", recipe.fence("sh key")], cwd=folder, check=True, capture_output=True, timeout=60)
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [Path(sys.executable).with_name("gunicorn"), "--bind", f"127.0.0.1:{port}", "--threads", "4", "satosa.wsgi:app"], cwd=folder,
                env=os.environ | {"SATOSA_CONFIG": "proxy_conf.yaml"}, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        if not eventually(self.metadata, within_s=60):
            self.close()
            raise AssertionError(self.log)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-6000:]

    def metadata(self) -> str | None:
        try:
            answer = requests.get(f"{self.home}/Saml2IDP/metadata", timeout=5)
            return answer.text if answer.status_code == 200 else None
        except requests.RequestException:
            if self.process.poll() is not None:
                raise AssertionError(self.log) from None
            return None

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)


@pytest.fixture
def service():
    assert XMLSEC.exists(), f"{XMLSEC} is missing: deploy/packages.sh test installs it"
    provider = ServiceProvider()
    yield provider
    provider.close()


@pytest.fixture
def satosa(server, folder, service):
    """Runs it with one of the page's backends, in front of that service provider."""
    started: list[Satosa] = []

    def run(section: str, client: str, backend: str) -> Satosa:
        port = free_port()
        recipe = Recipe(server, section, PAGE, **{"https://saml.example.org": f"http://127.0.0.1:{port}", "RANDOM_WORD": secrets.token_urlsafe(16)})
        recipe.create(f"sh {client}")
        own = recipe.fence(f"yaml {backend}")
        recipe.turn_to("SATOSA")
        started.append(Satosa(Path(mkdtemp(dir=folder)), recipe, port, own, service.metadata))
        service.trust(started[-1].metadata())
        return started[-1]

    yield run
    for one in started:
        print(one.log)  # shown where a test fails
        one.close()


@pytest.fixture
def browser(folder):
    browser = Chromium(Path(mkdtemp(dir=folder)), {})
    yield browser
    browser.close()


@pytest.mark.parametrize(("section", "client", "backend", "context"), [
    ("SATOSA", "client", "backend", "https://refeds.org/profile/sfa"), ("The classic backend", "classic", "classic", AC_UNSPECIFIED)])
def test_an_assertion_arrives(server, service, satosa, browser, section, client, backend, context):
    """From the service provider to the server and back, twice: the same person under the same name, and nothing is asked the second time."""
    satosa(section, client, backend)
    name = person(server)

    browser.open(f"{service.home}/")
    log_in(browser, name)
    assert eventually(lambda: browser.url == f"{service.home}/acs"), f"{browser.url}: {browser.text}"
    browser.open(f"{service.home}/")
    if "/consent" in browser.url:  # a redirect URI on this machine is asked for each time
        browser.click("button[value=allow]")

    assert eventually(lambda: len(service.identities) == 2), f"{browser.url}: {browser.text}"
    assert [identity["mail"] for identity in service.identities] == [[f"{name}@example.org"]] * 2
    assert service.names[0] == service.names[1] and service.contexts == [context] * 2
