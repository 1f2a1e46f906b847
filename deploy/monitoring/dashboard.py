#!/usr/bin/env python3
"""Makes dashboard.json, for Grafana, of the list of all that the server measures (Sources/Server/Metrics/MetricFamilies.swift):
an overview that is written here, and behind it each family of the list, in rows. render.py draws it without Grafana.

In:  nothing, or --check.
Out: dashboard.json beside this file; with --check nothing is written, and the exit is 1 where it is not what would be.
"""
from __future__ import annotations

import json
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LIST = FOLDER.parents[1] / "Sources/Server/Metrics/MetricFamilies.swift"
FAMILY = re.compile(r'\.(counter|gauge|histogram)\(\s*"(\w+)",(?:\s*unit: "(\w+)",)?\s*"([^"]+)"(?:,\s*labels: \[([^\]]*)\])?')
GROUP = re.compile(r"static let of(\w+): \[MetricFamily\] = \[(.*?)\n    \]", re.DOTALL)
TITLES = {"Requests": "Requests", "Tokens": "Tokens and logins", "Federation": "Events and pushes", "Database": "Database", "Process": "Process"}
CRAWLER = "Crawler"
UNITS = {"seconds": "s", "bytes": "bytes", "": "short"}
# What counts requests, and what goes by processor: a whole core is 100 %.
OTHER_UNITS = {"pando_http_requests_total": "reqps", "pando_crawl_requests_total": "reqps", "process_cpu_seconds_total": "percentunit"}
# So many routes have these that a panel of all would be read by nobody.
MANY = {"pando_http_requests_total", "pando_http_request_duration_seconds"}
BELOW_ZERO = {"pando_clock_skew_seconds", "pando_tls_certificate_end_timestamp_seconds"}
HEIGHT = 8
# Of these each process tells what is so of all: their sum would be wrong.
SHARED = {"pando_tokens_live", "pando_tokens_refreshable", "pando_events_lag_seconds", "pando_events_waiting", "pando_events_failures",
          "pando_events_services_behind", "pando_events_dead", "pando_crawl_services", "pando_crawl_overdue_seconds",
          "pando_signing_key_age_seconds"}
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
SOURCE = 'job=~"$job"'


def rate(name: str, more: str = "") -> str:
    return f"rate({name}{{{SOURCE}{more}}}[$__rate_interval])"


def quantile(share: float, histogram: str, by: str = "") -> str:
    return f"histogram_quantile({share}, sum by (le{by}) ({rate(histogram + '_bucket')}))"


REQUESTS, TOOK, FAILED = "pando_http_requests_total", "pando_http_request_duration_seconds", ', status="5xx"'
# Title, unit, what it says, and expressions with their legends: what to look at first, three a line.
OVERVIEW = [
    ("Requests by status", "reqps", "Answers a second of all processes, by class of status.", [(f"sum by (status) ({rate(REQUESTS)})", "{{status}}")]),
    ("Answers that are 5xx", "percentunit", "PandoFaults fires where it is above 2 % for five minutes.", [
        (f"(sum({rate(REQUESTS, FAILED)}) or vector(0)) / sum({rate(REQUESTS)})", "5xx")]),
    ("Time to an answer", "s", "Of all requests: half, nine of ten and 99 of a hundred are faster.", [
        (quantile(share, TOOK), f"p{title}") for share, title in ((0.5, "50"), (0.9, "90"), (0.99, "99"))]),
    ("Processes that answer", "short", "Of those that Prometheus asks.", [(f"sum(up{{{SOURCE}}})", "answer"), (f"count(up{{{SOURCE}}})", "asked")]),
    ("Alerts that fire", "short", "What to do about each is in docs/runbook.md.", [
        ('sum by (alertname) (ALERTS{alertname=~"Pando.*", alertstate="firing"})', "{{alertname}}")]),
    ("Logins by outcome", "ops", "Done, or why not.", [(f"sum by (outcome) ({rate('pando_logins_total')})", "{{outcome}}")]),
    ("Tokens and revocations", "ops", "What was written a second: tokens of all kinds, and nodes that were revoked.", [
        (f"sum({rate('pando_tokens_issued_total')})", "issued"), (f"sum({rate('pando_revocations_total')})", "revoked")]),
    ("Time at the database", "s", "99 of a hundred statements are faster, and waits for a connection shorter.", [
        (quantile(0.99, "pando_db_statement_duration_seconds"), "statement p99"), (quantile(0.99, "pando_db_wait_duration_seconds"), "wait p99")]),
    ("Errors of the database", "ops", "unavailable is a database that is away.", [
        (f"sum by (sqlstate) ({rate('pando_db_errors_total')})", "{{sqlstate}}")]),
]


def families() -> list[tuple[str, list[dict]]]:
    """By row, in the order of the list; what the crawler does has one of its own."""
    groups = []
    for name, body in GROUP.findall(LIST.read_text()):
        found = [{"kind": kind, "name": metric, "unit": unit, "help": words, "labels": re.findall(r'"(\w+)"', labels)}
                 for kind, metric, unit, words, labels in FAMILY.findall(body)]
        assert len(found) == len(re.findall(r"\.(?:counter|gauge|histogram)\(", body)), f"a line of {name} cannot be read"
        groups.append((TITLES[name], [family for family in found if not family["name"].startswith("pando_crawl")]))
        crawls = [family for family in found if family["name"].startswith("pando_crawl")]
        groups += [(CRAWLER, crawls)] if crawls else []
    assert groups, f"no list in {LIST}"
    return groups


def queries(family: dict) -> list[tuple[str, str]]:
    """Expression and legend."""
    name, labels = family["name"], family["labels"]
    by, legend = (f" by ({', '.join(labels)})", " ".join("{{%s}}" % label for label in labels)) if labels else ("", name)
    if family["kind"] == "counter":
        told = f"sum{by} ({rate(name)})"
        return [(busiest(name, told), legend)]
    if family["kind"] == "histogram" and name in MANY:
        return [(busiest(name, quantile(0.99, name, "".join(f", {label}" for label in labels))), f"{legend} p99")]
    if family["kind"] == "histogram":
        return [(quantile(share, name, "".join(f", {label}" for label in labels)), f"{legend if labels else ''} p{title}".strip())
                for share, title in ((0.5, "50"), (0.99, "99"))]
    if name == "process_start_time_seconds":
        return [(f"time() - {name}{{{SOURCE}}}", "{{instance}} is up")]
    if name == "pando_tls_certificate_end_timestamp_seconds":
        return [(f"{name}{{{SOURCE}}} - time()", "{{instance}}")]
    if name in SHARED:
        return [(f"max{by} ({name}{{{SOURCE}}})", legend)]
    return [(f"{name}{{{SOURCE}}}", f"{{{{instance}}}} {legend if labels else ''}".strip())]


def busiest(name: str, expression: str) -> str:
    return f"topk(10, {expression})" if name in MANY else expression


def unit(family: dict) -> str:
    if family["kind"] == "counter":
        return OTHER_UNITS.get(family["name"]) or ("Bps" if family["unit"] == "bytes" else "ops")
    return UNITS[family["unit"]]


def panel_of(family: dict) -> dict:
    told = family["help"] + (" The ten highest." if family["name"] in MANY else "")
    return panel(family["name"], unit(family), told, queries(family), lowest=None if family["name"] in BELOW_ZERO else 0)


def panel(title: str, unit: str, description: str, targets: list[tuple[str, str]], lowest: int | None = 0) -> dict:
    defaults = {"unit": unit} | ({"min": lowest} if lowest is not None else {}) | {"custom": {"fillOpacity": 8, "showPoints": "never"}}
    return {
        "type": "timeseries", "title": title, "description": description, "datasource": DATASOURCE,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi", "sort": "desc"}},
        "targets": [{"refId": chr(ord("A") + place), "datasource": DATASOURCE, "expr": expression, "legendFormat": legend}
                    for place, (expression, legend) in enumerate(targets)],
    }


def dashboard() -> dict:
    rows = [("Overview", [panel(*told) for told in OVERVIEW])] + [(title, [panel_of(family) for family in group]) for title, group in families()]
    panels, y = [], 0
    for title, row in rows:
        panels.append({"id": len(panels) + 1, "type": "row", "title": title, "collapsed": False, "gridPos": {"h": 1, "w": 24, "x": 0, "y": y}, "panels": []})
        y += 1
        for place, one in enumerate(row):
            panels.append({"id": len(panels) + 1, **one, "gridPos": {"h": HEIGHT, "w": 8, "x": 8 * (place % 3), "y": y + HEIGHT * (place // 3)}})
        y += HEIGHT * -(-len(row) // 3)
    return {
        "uid": "pando", "title": "Pando", "tags": ["pando"], "timezone": "", "schemaVersion": 38, "version": 1, "editable": True,
        "refresh": "30s", "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [
            {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Prometheus"},
            {"name": "job", "type": "query", "label": "Job", "datasource": DATASOURCE, "query": "label_values(pando_build_info, job)", "refresh": 2,
             "multi": True, "includeAll": True, "current": {"text": "All", "value": "$__all"}},
        ]},
        "annotations": {"list": [
            {"name": "Alerts", "enable": True, "datasource": DATASOURCE, "iconColor": "red", "titleFormat": "{{alertname}}",
             "expr": 'ALERTS{alertname=~"Pando.*", alertstate="firing"}'},
        ]},
        "panels": panels,
    }


def main() -> int:
    file, text = FOLDER / "dashboard.json", json.dumps(dashboard(), indent=1) + "\n"
    if "--check" in sys.argv[1:]:
        if file.exists() and file.read_text() == text:
            return 0
        print(f"{file.name} is not what {Path(__file__).name} makes of the list; run it", file=sys.stderr)
        return 1
    file.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
