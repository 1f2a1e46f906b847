"""Traces of a server behind Debian's HAProxy: one login from the proxy down to each statement, at a collector and in a file.

The picture goes to .pando/trace-of-a-login.svg; `make interop ARGS='-k traces --screens'` rewrites the one in docs/plots, which is committed.
"""
from __future__ import annotations

import json
import subprocess
import sys
import uuid
from collections import Counter
from pathlib import Path
from tempfile import mkdtemp
from xml.etree import ElementTree

import pytest
import requests

from browsing import Browser
from collector import Collector, Span, spans
from phone import PASSWORD, person
from proxied import PROGRAM, Proxied
from server import CHECKOUT, free_port
from waiting import eventually


class Traced:
    """The proxy keeps each trace, and logs its part to deploy/proxy/spans.py."""

    def __init__(self, folder: Path):
        self.collector, self.file, log = Collector(), folder / "spans.jsonl", free_port()
        self.proxied = Proxied(folder, PANDO_TRACE_ENDPOINT=self.collector.endpoint, PANDO_TRACE_FILE=str(self.file), PANDO_LOG_FORMAT="json", PANDO_ACCESS_LOG="json", PANDO_NODE_NAME="id-1.example.org")
        self.proxied.changes = {"rand(100) lt 1 ": "rand(100) lt 100 ", "#log 127.0.0.1:5140": f"log 127.0.0.1:{log}", "#log-format": "log-format"}
        command = [sys.executable, CHECKOUT / "deploy/proxy/spans.py", "--listen", f"127.0.0.1:{log}", "--endpoint", self.collector.endpoint, "--file", folder / "proxy.jsonl"]
        self.proxy_file = folder / "proxy.jsonl"
        self.spans_of_proxy = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def start(self) -> "Traced":
        self.proxied.start()
        return self

    @property
    def issuer(self) -> str:
        return self.proxied.server.issuer

    def trace(self, name: str) -> list[Span]:
        """That in which the span of that name is, when all of it has come, the proxy's part, too."""
        def whole():
            told = self.collector.spans
            traces = {span.trace for span in told if span.name == name}
            found = [span for span in told if span.trace in traces]
            known = {span.id for span in found} | {""}
            return found if any(span.service == "haproxy" for span in found) and all(span.parent in known for span in found) else []
        found = eventually(whole, within_s=30)
        assert found, f"no trace with {name}: {Counter((span.service, span.name) for span in self.collector.spans)}"
        return found

    def lines(self) -> list[dict]:
        """Of log and access log."""
        return [json.loads(line) for line in self.proxied.server.log.read_text(errors="replace").splitlines() if line.startswith("{")]

    def close(self) -> None:
        self.proxied.close()
        self.spans_of_proxy.terminate()
        self.spans_of_proxy.wait(timeout=10)
        self.collector.close()


@pytest.fixture(scope="module")
def traced(folder):
    assert PROGRAM.exists(), f"{PROGRAM} is missing: deploy/packages.sh test installs it"
    one = Traced(Path(mkdtemp(dir=folder)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("REQUESTS_CA_BUNDLE", str(one.proxied.trusted))
        try:
            yield one.start()
        finally:
            one.close()


@pytest.fixture(scope="module")
def login(traced):
    """Somebody logs in; the browser with its cookies, what the form held, and the trace of the request that brought the password."""
    browser = Browser(traced.issuer, person(traced.proxied.server))
    # The proxy takes a server that was slow to answer its look for one that has gone.
    page = eventually(lambda: (shown := browser.open(f"{traced.issuer}/account")).forms and shown, within_s=30)
    shown = browser.submit(page, page.forms[0], username=browser.username, password=PASSWORD)
    assert shown.status == 200 and browser.username in shown.text
    return browser, page.forms[0].values, traced.trace("hash a password")


def test_a_login_is_one_trace(login):
    """Across proxy, server and database: all hangs below the proxy's span."""
    _, _, found = login
    known = {span.id: span for span in found}

    assert len({span.trace for span in found}) == 1
    roots = [span for span in found if not span.parent]
    assert [(root.service, root.name) for root in roots] == [("haproxy", "POST at the proxy")]
    server = next(span for span in found if span.service == "pando" and span.parent == roots[0].id)
    assert server.name.startswith("POST /") and server.attributes["http.route"] == server.name.removeprefix("POST ")
    statements = [span for span in found if span.attributes.get("db.system.name") == "postgresql"]
    assert len(statements) > 2 and any("insert into" in span.attributes["db.query.text"] for span in statements)
    for span in found:
        if span.service == "pando" and span.parent != roots[0].id:
            assert known[span.parent].start <= span.start, f"{span.name} before {known[span.parent].name}"


def test_it_holds_nothing_of_who_logged_in(traced, login):
    """Neither password nor name, cookie, address or anything of a form, in whatever came so far; nor in the files."""
    browser, form, _ = login
    secrets = {"password": PASSWORD, "name": browser.username, "address": f"{browser.username}@example.org"}
    secrets |= {f"cookie {cookie.name}": cookie.value for cookie in browser.cookies.cookies if len(cookie.value) > 12} | {f"form {name}": value for name, value in form.items() if len(value) > 12}
    told = b"".join(traced.collector.bodies).decode() + traced.file.read_text() + traced.proxy_file.read_text()

    assert len(secrets) >= 5 and all(len(secret) >= 8 for secret in secrets.values()), secrets
    assert not [name for name, secret in secrets.items() if secret in told]
    assert "127.0.0.1" not in told, "who asked"


def test_the_log_says_in_which_trace(traced, login):
    """A line of log and access log has the trace's id, which is that of the request without dashes."""
    _, _, found = login
    line = next(line for line in traced.lines() if line["message"] == "request" and line.get("trace_id") == found[0].trace)
    refused = requests.post(f"{traced.issuer}/token", data={"grant_type": "none"}, timeout=20)
    told = eventually(lambda: [line for line in traced.lines() if line["message"] == "refused" and line.get("hb.request.id") == refused.headers["X-Request-Id"]])

    assert line["request_id"].replace("-", "") == found[0].trace and line["method"] == "POST"
    assert uuid.UUID(refused.headers["X-Request-Id"]).hex == told[0]["trace_id"] and len(told[0]["span_id"]) == 16


def test_log_and_traces_name_one_process(traced, login):
    """Every line of log and access log has the node and the process's number there, and the spans' resource both."""
    lines = traced.lines()
    told = b"".join(traced.collector.bodies).decode()

    assert {line["message"] for line in lines} >= {"request"} and {line["node"] for line in lines} == {"id-1.example.org"}
    numbers = {line["process"] for line in lines}
    assert len(numbers) == 1 and f'"id-1.example.org/{numbers.pop()}"' in told


def test_nobody_chooses_a_trace(traced):
    """What a client says of one goes nowhere: the proxy makes its own."""
    theirs = "4bf92f3577b34da6a3ce929d0e0e4736"
    answer = requests.get(f"{traced.issuer}/.well-known/oauth-authorization-server", timeout=20,
                          headers={"traceparent": f"00-{theirs}-00f067aa0ba902b7-01", "tracestate": "rojo=1"})
    own = uuid.UUID(answer.headers["X-Request-Id"]).hex

    assert eventually(lambda: any(span.trace == own and span.service == "pando" for span in traced.collector.spans), within_s=20)
    assert all(theirs.encode() not in body and b"rojo" not in body for body in traced.collector.bodies)


def test_a_collector_that_has_too_much_is_asked_again(traced):
    traced.collector.answers = [429, 503]
    answer = requests.get(f"{traced.issuer}/.well-known/oauth-authorization-server", timeout=20)
    own = uuid.UUID(answer.headers["X-Request-Id"]).hex

    assert eventually(lambda: any(span.trace == own and span.service == "pando" for span in traced.collector.spans), within_s=40)
    assert traced.collector.answers == []


def test_the_files_draw_a_picture(traced, login, request):
    """The same spans as at the collector, a line a batch; deploy/trace.py makes text and a picture of them."""
    _, _, found = login
    picture = CHECKOUT / ("docs/plots" if request.config.getoption("--screens") else ".pando") / "trace-of-a-login.svg"
    picture.parent.mkdir(exist_ok=True)
    draw = [sys.executable, CHECKOUT / "deploy/trace.py", traced.file, traced.proxy_file, "--trace", found[0].trace]

    written = [span for line in traced.file.read_text().splitlines() + traced.proxy_file.read_text().splitlines() for span in spans(line)]
    assert {span.id for span in written if span.trace == found[0].trace} == {span.id for span in found}
    text = subprocess.run(draw, text=True, capture_output=True, timeout=30, check=True).stdout
    assert len(text.splitlines()) == len(found) + 1 and "POST at the proxy" in text.splitlines()[1]
    subprocess.run([*draw, "--svg", picture], timeout=30, check=True)
    shown = ElementTree.parse(picture).getroot()
    assert len(shown.findall("{http://www.w3.org/2000/svg}g")) == len(found) and "hash a password" in picture.read_text()
    assert subprocess.run([*draw[:-1], "none"], capture_output=True, timeout=30).returncode == 1


def test_what_was_answered_last_goes_out_at_the_end(traced):
    """Last in this file: the server is stopped."""
    answer = requests.get(f"{traced.issuer}/.well-known/openid-configuration", timeout=20)
    own = uuid.UUID(answer.headers["X-Request-Id"]).hex
    traced.proxied.server.stop()

    assert any(span.trace == own and span.service == "pando" for span in traced.collector.spans)
