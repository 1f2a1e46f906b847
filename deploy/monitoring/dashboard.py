#!/usr/bin/env python3
"""Makes dashboard.json, for Grafana, of the list of all that the server measures (Sources/Server/Metrics/MetricFamilies.swift).

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
TITLES = {"Requests": "Requests", "Tokens": "Tokens and logins", "Federation": "Services", "Database": "Database", "Process": "Process"}
UNITS = {"seconds": "s", "bytes": "bytes", "": "short"}
# Of these each process tells what is so of all: their sum would be wrong.
SHARED = {"pando_tokens_live", "pando_tokens_refreshable", "pando_events_lag_seconds", "pando_events_waiting", "pando_events_failures",
          "pando_events_services_behind", "pando_events_dead", "pando_crawl_services", "pando_crawl_overdue_seconds",
          "pando_signing_key_age_seconds"}
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
SOURCE = 'job=~"$job"'


def families() -> list[tuple[str, list[dict]]]:
    """By group, in the order of the list."""
    groups = []
    for name, body in GROUP.findall(LIST.read_text()):
        found = [{"kind": kind, "name": metric, "unit": unit, "help": words, "labels": re.findall(r'"(\w+)"', labels)}
                 for kind, metric, unit, words, labels in FAMILY.findall(body)]
        assert len(found) == len(re.findall(r"\.(?:counter|gauge|histogram)\(", body)), f"a line of {name} cannot be read"
        groups.append((TITLES[name], found))
    assert groups, f"no list in {LIST}"
    return groups


def queries(family: dict) -> list[tuple[str, str]]:
    """Expression and legend."""
    name, labels = family["name"], family["labels"]
    by, legend = (f" by ({', '.join(labels)})", " ".join("{{%s}}" % label for label in labels)) if labels else ("", name)
    if family["kind"] == "counter":
        return [(f"sum{by} (rate({name}{{{SOURCE}}}[$__rate_interval]))", legend)]
    if family["kind"] == "histogram":
        rate, buckets = f"rate({name}_bucket{{{SOURCE}}}[$__rate_interval])", ", ".join(["le", *labels])
        return [(f"histogram_quantile({share}, sum by ({buckets}) ({rate}))", f"{legend if labels else ''} p{title}".strip())
                for share, title in ((0.5, "50"), (0.99, "99"))]
    if name in SHARED:
        return [(f"max{by} ({name}{{{SOURCE}}})", legend)]
    return [(f"{name}{{{SOURCE}}}", f"{{{{instance}}}} {legend if labels else ''}".strip())]


def unit(family: dict) -> str:
    if family["kind"] == "counter":
        return {"seconds": "short", "bytes": "Bps"}.get(family["unit"], "ops")
    return "dateTimeAsIso" if family["name"] == "process_start_time_seconds" else UNITS[family["unit"]]


def panel(number: int, family: dict, x: int, y: int) -> dict:
    milliseconds = " * 1000" if unit(family) == "dateTimeAsIso" else ""
    return {
        "id": number, "type": "timeseries", "title": family["name"], "description": family["help"], "datasource": DATASOURCE,
        "gridPos": {"h": 7, "w": 8, "x": x, "y": y},
        "fieldConfig": {"defaults": {"unit": unit(family), "min": 0, "custom": {"fillOpacity": 8, "showPoints": "never"}}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi", "sort": "desc"}},
        "targets": [{"refId": chr(ord("A") + place), "datasource": DATASOURCE, "expr": expression + milliseconds, "legendFormat": legend}
                    for place, (expression, legend) in enumerate(queries(family))],
    }


def dashboard() -> dict:
    panels, y, number = [], 0, 1
    for title, group in families():
        panels.append({"id": number, "type": "row", "title": title, "collapsed": False, "gridPos": {"h": 1, "w": 24, "x": 0, "y": y}, "panels": []})
        number, y = number + 1, y + 1
        for place, family in enumerate(group):
            panels.append(panel(number, family, x=8 * (place % 3), y=y + 7 * (place // 3)))
            number += 1
        y += 7 * -(-len(group) // 3)
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
