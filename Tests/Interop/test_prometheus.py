"""Debian's Prometheus beside a server: it reads every family, its alerts fire and resolve, promtool finds nothing to say, and the dashboard can be drawn."""
from __future__ import annotations

import importlib.util
import json
import re
import secrets
import socket
import subprocess
import sys
import time
from pathlib import Path
from tempfile import mkdtemp
from xml.etree import ElementTree

import pytest
import requests

from browsing import Browser
from phone import PASSWORD, person
from server import CHECKOUT, Server, free_port

PROMETHEUS, PROMTOOL = Path("/usr/bin/prometheus"), Path("/usr/bin/promtool")
MONITORING = CHECKOUT / "deploy/monitoring"
SECRET = "not-to-be-written-anywhere"
# What has happened at a server that was asked as below, and what is so of every one.
HAPPENED = {"pando_http_requests_total", "pando_http_request_duration_seconds", "pando_http_requests_in_flight", "pando_http_refusals_total",
            "pando_token_requests_total", "pando_tokens_issued_total", "pando_logins_total", "pando_tokens_live", "pando_tokens_refreshable",
            "pando_revocations_total", "pando_connections_closed_total", "pando_token_lookups_total", "pando_lease_age_seconds", "pando_signing_key_age_seconds",
            "pando_events_services_behind", "pando_events_dead", "pando_crawl_services", "pando_db_statements_total",
            "pando_db_statement_duration_seconds", "pando_db_connections_in_use", "pando_db_connections_open", "pando_db_connections_limit",
            "pando_db_callers_waiting", "pando_group_commit_size", "pando_event_loop_delay_seconds", "pando_build_info", "pando_liquid_sockets",
            "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds", "process_max_fds", "process_start_time_seconds"}

# Panels of the overview that have something to show then.
OVERVIEW = {"Requests by status", "Answers that are 5xx", "Time to an answer", "Processes that answer", "Logins by outcome", "Tokens and revocations",
            "Time at the database"}
SVG = "{http://www.w3.org/2000/svg}"


def families() -> dict[str, dict]:
    """All that is on the page, as the dashboard is made of it."""
    specification = importlib.util.spec_from_file_location("dashboard", MONITORING / "dashboard.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return {family["name"]: family for _, group in module.families() for family in group}


def promtool(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess:
    return subprocess.run([PROMTOOL, *arguments], cwd=MONITORING, input=stdin, text=True, capture_output=True, timeout=60)


def render(prometheus: str, *arguments) -> subprocess.CompletedProcess:
    """What the scrapes of the last minutes say; by themselves they come every half a second."""
    command = [sys.executable, MONITORING / "render.py", "--prometheus", prometheus, "--last", "2m", "--step", "1s", "--scrape", "0.5s", *arguments]
    return subprocess.run(command, text=True, capture_output=True, timeout=60)


class Watched:
    """A server whose metrics ask for a token, and a Prometheus that has it."""

    def __init__(self, folder: Path):
        self.folder, self.port, self.token = folder, free_port(), secrets.token_hex(32)
        self.token_file = folder / "token"
        self.token_file.write_text(self.token + "\n")
        metrics = free_port()
        self.page = f"http://127.0.0.1:{metrics}/metrics"
        self.server = Server(folder / "server", PANDO_METRICS_PORT=str(metrics), PANDO_METRICS_TOKEN_FILE=str(self.token_file), PANDO_ACCESS_LOG="json")
        self.server.folder.mkdir()
        self.process = self.slow = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> "Watched":
        self.server.start()
        # As shipped, but with less patience.
        rules = re.sub(r"for: \d+[mh]", "for: 1s", (MONITORING / "rules.yml").read_text())
        (self.folder / "rules.yml").write_text(re.sub(r"\[\d+m\]", "[10s]", rules))
        shipped = (MONITORING / "prometheus.yml").read_text()
        ours = {"interval: 15s": "interval: 500ms", "127.0.0.1:9464": self.page.split("/")[2], "    # authorization:": "    authorization:",
                "    #   credentials_file: /etc/prometheus/pando.token": f"      credentials_file: {self.token_file}"}
        for theirs, here in ours.items():
            assert theirs in shipped
            shipped = shipped.replace(theirs, here)
        (self.folder / "prometheus.yml").write_text(shipped)
        with (self.folder / "prometheus.log").open("wb") as log:
            self.process = subprocess.Popen(
                [PROMETHEUS, f"--config.file={self.folder / 'prometheus.yml'}", f"--storage.tsdb.path={self.folder / 'data'}",
                 f"--web.listen-address=127.0.0.1:{self.port}"], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        self.until(lambda: self.query('up{job="pando"}') == ["1"], "Prometheus reads the page")
        return self

    def close(self) -> None:
        self.server.clear()
        if self.slow:
            self.slow.close()
        if self.process:
            self.process.terminate()
            self.process.wait(timeout=20)

    def ask(self, path: str, **parameters: str) -> dict:
        answer = requests.get(f"{self.address}/api/v1/{path}", params=parameters, timeout=10)
        answer.raise_for_status()
        return answer.json()["data"]

    def query(self, expression: str) -> list[str]:
        try:
            return [found["value"][1] for found in self.ask("query", query=expression)["result"]]
        except requests.RequestException:
            return []

    def firing(self) -> set[str]:
        return {alert["labels"]["alertname"] for alert in self.ask("alerts")["alerts"] if alert["state"] == "firing"}

    def until(self, is_so, what: str) -> None:
        deadline = time.monotonic() + 60
        while not is_so():
            assert time.monotonic() < deadline, f"not within a minute: {what}\n{(self.folder / 'prometheus.log').read_text()[-2000:]}"
            time.sleep(0.2)

    def read(self, **headers: str) -> requests.Response:
        return requests.get(self.page, headers=headers, timeout=10)


@pytest.fixture(scope="module")
def watched(folder):
    for program in (PROMETHEUS, PROMTOOL):
        assert program.exists(), f"{program} is missing: deploy/packages.sh test installs it"
    one = Watched(Path(mkdtemp(dir=folder)))
    try:
        yield one.start()
    finally:
        one.close()


@pytest.fixture(scope="module")
def used(watched):
    """A machine has got tokens, and not got some; a person has logged in, and somebody has not. A head never ends, and something is no HTTP."""
    server, issuer = watched.server, watched.server.issuer
    watched.slow = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    watched.slow.sendall(b"GET / HTTP/1.1\r\nHost:")
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as nonsense:
        nonsense.sendall(b"NONSENSE\r\n\r\n")
        assert nonsense.recv(12) == b"HTTP/1.1 400"
    made = server.admin("clients", "create", "--name", "watch", "--grant", "client_credentials", "--scope", "admin")
    form = {"grant_type": "client_credentials", "scope": "admin"}
    token = requests.post(f"{issuer}/token", data=form, auth=(made["client_id"], made["client_secret"]), timeout=20).json()["access_token"]
    assert requests.post(f"{issuer}/token?state={SECRET}", data=form, auth=(made["client_id"], SECRET), timeout=20).status_code == 401
    for path in ("/statistics", "/crawl"):
        assert requests.get(f"{issuer}/admin/api/v1{path}", headers={"Authorization": f"Bearer {token}"}, timeout=20).status_code == 200
    asked = {"token": token}
    assert requests.post(f"{issuer}/revoke", data=asked, auth=(made["client_id"], made["client_secret"]), timeout=20).status_code == 200
    assert requests.get(f"{issuer}/{SECRET}", timeout=20).status_code == 404
    name = person(server)
    for password in (PASSWORD, "a wrong one"):
        browser = Browser(issuer, name)
        page = browser.open(f"{issuer}/login?return_to=/account")
        form = next(form for form in page.forms if form.passwords)
        browser.submit(page, form, username=name, **dict.fromkeys(form.passwords, password))
    return watched


def test_shipped_rules_and_configuration_pass_promtool_and_the_dashboard_is_made_of_the_list():
    for arguments in (("check", "config", "prometheus.yml"), ("check", "rules", "rules.yml"), ("test", "rules", "rules_test.yml")):
        finished = promtool(*arguments)
        assert finished.returncode == 0, finished.stdout + finished.stderr
    finished = subprocess.run([MONITORING / "dashboard.py", "--check"], capture_output=True, text=True, timeout=30)
    assert finished.returncode == 0, finished.stderr


def test_the_page_is_for_who_has_the_token(watched):
    for headers in ({}, {"Authorization": "Bearer " + "0" * 64}, {"Authorization": f"Basic {watched.token}"}):
        refused = watched.read(**headers)
        assert refused.status_code == 401 and refused.headers["WWW-Authenticate"] == 'Bearer realm="metrics"' and "pando_" not in refused.text
    assert watched.read(Authorization=f"Bearer {watched.token}").status_code == 200
    assert requests.get(f"{watched.server.issuer}/metrics", timeout=10).status_code == 404


def test_promtool_has_nothing_to_say_of_the_page(used):
    page = used.read(Authorization=f"Bearer {used.token}")
    finished = promtool("check", "metrics", stdin=page.text)

    assert page.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert finished.returncode == 0 and not (finished.stdout + finished.stderr).strip(), finished.stdout + finished.stderr
    openly = used.read(Authorization=f"Bearer {used.token}", Accept="application/openmetrics-text; version=1.0.0")
    assert openly.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0") and openly.text.endswith("\n# EOF\n")


def test_prometheus_knows_every_family_and_has_what_happened(used):
    known = {}
    used.until(lambda: known.update(used.ask("metadata")) or len(known) > len(families()) / 2, "metadata")
    for name, family in families().items():
        found = known.get(name) or known.get(name.removesuffix("_total"))
        assert found, f"{name}: Prometheus does not know it"
        assert (found[0]["type"], found[0]["unit"], found[0]["help"]) == (family["kind"], family["unit"], family["help"])
    for name in sorted(HAPPENED):
        series = name + "_count" if families()[name]["kind"] == "histogram" else name
        used.until(lambda: used.query(f'count({series}{{job="pando"}})') not in ([], ["0"]), name)
    for expression in ('pando_token_requests_total{grant="client_credentials",outcome="issued"} > 0', 'pando_token_requests_total{outcome="invalid_client"} > 0',
                       'pando_logins_total{method="pwd",outcome="done"} > 0', 'pando_logins_total{outcome!="done"} > 0', "pando_revocations_total > 0",
                       'pando_connections_closed_total{reason="malformed"} > 0', 'pando_connections_closed_total{reason="slow_head"} > 0',
                       'pando_http_requests_total{route="none",status="4xx"} > 0', 'pando_http_requests_total{route="/token",method="POST",status="2xx"} > 0'):
        used.until(lambda: used.query(expression), expression)


def test_every_panel_of_the_dashboard_can_be_asked_and_is_drawn(used):
    drawn = {}
    wanted = sorted(HAPPENED | OVERVIEW)
    used.until(lambda: drawn.update(it=render(used.address, "--strict", *wanted)) or drawn["it"].returncode == 0 or "refused" in drawn["it"].stderr, "all panels have data")
    assert drawn["it"].returncode == 0, drawn["it"].stderr
    picture = ElementTree.fromstring(drawn["it"].stdout)
    panels = {f"panel-{panel['id']}": panel["title"] for panel in json.loads((MONITORING / "dashboard.json").read_text())["panels"] if panel["type"] != "row"}
    found = {group.get("id"): group for group in picture.iter(f"{SVG}g") if group.get("id")}
    assert found.keys() == panels.keys()
    for number, title in panels.items():
        assert title not in wanted or found[number].findall(f"{SVG}path"), title
        assert any(text.text == title for text in found[number].iter(f"{SVG}text")), title


@pytest.mark.parametrize("value, unit, text", [
    (0, "s", "0"), (0.0123, "s", "12.3 ms"), (90, "s", "1.5 min"), (0.0204, "percentunit", "2.04 %"), (1536, "bytes", "1.5 KiB"), (2e9, "Bps", "2 GB/s"),
    (0.05, "ops", "0.05 ops/s"), (12_300, "short", "12.3 k"), (-3, "short", "-3")])
def test_numbers_are_shown_with_their_units(value, unit, text):
    sys.path.insert(0, str(MONITORING))
    try:
        from picture import shown
    finally:
        sys.path.remove(str(MONITORING))
    assert shown(value, unit) == text


def test_what_cannot_be_drawn_is_told(used, folder):
    dashboard = json.loads((MONITORING / "dashboard.json").read_text())
    by_title = {panel["title"]: panel for panel in dashboard["panels"]}
    by_title["pando_build_info"]["targets"][0]["expr"] = "sum by ("
    by_title["process_threads"]["targets"][0]["expr"] = "up{job=~\"$nobody\"}"
    wrong = folder / "wrong.json"
    wrong.write_text(json.dumps(dashboard))

    refused = render(used.address, "--dashboard", wrong)
    empty = render(used.address, "--strict", "pando_replica_reads_total")
    unknown = render(used.address, "--strict", "no such title")
    nobody = render(f"http://127.0.0.1:{free_port()}")

    assert refused.returncode == 1 and "refused: pando_build_info: sum by (: " in refused.stderr and "refused: process_threads" in refused.stderr
    assert ElementTree.fromstring(refused.stdout).tag == f"{SVG}svg"
    assert empty.returncode == 1 and "no data: " in empty.stderr and "pando_replica_reads_total" in empty.stderr
    assert unknown.returncode == 1 and "no such panel: no such title" in unknown.stderr
    assert nobody.returncode == 2 and not nobody.stdout and "render.py: http://127.0.0.1" in nobody.stderr


def test_the_access_log_has_patterns_and_ids_and_no_secret(used):
    lines = [json.loads(line) for line in used.server.log.read_text().splitlines() if line.startswith("{") and '"message":"request"' in line]
    refused = [line for line in lines if line["endpoint"] == "/token" and line["status"] == 401]

    assert refused and refused[0]["method"] == "POST" and refused[0]["peer"] in ("127.0.0.1", "::1")
    assert len(refused[0]["request_id"]) >= 16 and SECRET not in used.server.log.read_text()


def test_an_alert_fires_when_the_server_is_gone_and_resolves_when_it_is_back(used):
    assert "PandoDown" not in used.firing()
    used.server.stop()
    used.until(lambda: "PandoDown" in used.firing(), "PandoDown fires")
    used.server.start()
    used.until(lambda: "PandoDown" not in used.firing(), "PandoDown resolves")


def test_no_server_starts_with_metrics_that_anybody_reads(watched):
    for host in ("0.0.0.0", "::"):
        finished = watched.server.run("config", "check", PANDO_METRICS_HOST=host, PANDO_METRICS_TOKEN_FILE="")
        assert finished.returncode == 2 and "metrics-token-file" in finished.stderr + finished.stdout
