#!/usr/bin/env python3
"""Draws dashboard.json as a picture, of what a Prometheus knows: the dashboard where there is no Grafana, and for a report of what happened.

In:  --prometheus URL    (http://127.0.0.1:9090)
     --dashboard FILE    (dashboard.json beside this file)
     --to TIME           RFC 3339 or seconds since 1970 (now)
     --last DURATION     what ends then, as 90s, 15m, 6h or 2d (1h)
     --step DURATION     between two points (a 220th of it, and not below --scrape)
     --scrape DURATION   Prometheus' scrape_interval (15s)
     --set NAME=VALUE    of a variable of the dashboard (job=.*)
     --title TEXT        instead of the dashboard's own
     --strict [TITLE…]   panels that must have data; with none named, all
Out: SVG on stdout; on stderr the panels that had no data. Exit 1 where Prometheus refused an expression, or a panel of --strict had none; 2 where it did
     not answer.

In red behind each panel: when an alert fired, which the second line names.
"""
from __future__ import annotations

import argparse
import json
import math
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime
from pathlib import Path

from picture import Panel, Range, Series, svg

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Unanswered(Exception):
    """Prometheus is not there, or this is none."""


class Refused(Exception):
    """Prometheus does not take the expression."""


def duration(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text)
    if not found or float(found[1]) <= 0:
        raise argparse.ArgumentTypeError(f"{text} is no duration as 90s, 15m, 6h or 2d")
    return float(found[1]) * SECONDS[found[2]]


def moment(text: str) -> float:
    try:
        return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no time as 2026-01-31T12:00:00Z") from None


def variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not re.fullmatch(r"\w+", name):
        raise argparse.ArgumentTypeError(f"{text} is not NAME=VALUE")
    return name, value


class Prometheus:
    """`variables` stand for what has a $ in an expression."""

    def __init__(self, url: str, time: Range, variables: dict[str, str]):
        self.url, self.time, self.variables = url.rstrip("/"), time, variables

    def expression(self, text: str) -> str:
        def value(found: re.Match) -> str:
            name = found[1] or found[2]
            if name not in self.variables:
                raise Refused(f"${name} is not known: --set {name}=…")
            return self.variables[name]
        return re.sub(r"\$(?:\{(\w+)\}|(\w+))", value, text)

    def range(self, expression: str) -> list[dict]:
        form = {"query": self.expression(expression), "start": f"{self.time.start:.3f}", "end": f"{self.time.end:.3f}", "step": f"{self.time.step:g}"}
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/query_range?{urllib.parse.urlencode(form)}", timeout=60) as answer:
                told = json.load(answer)
        except urllib.error.HTTPError as refused:
            text = refused.read().decode(errors="replace")
            try:
                told = json.loads(text)
            except ValueError:
                raise Unanswered(f"{self.url}: {refused.code} {text[:200]}") from None
        except (OSError, ValueError) as error:
            raise Unanswered(f"{self.url}: {error}") from None
        if not isinstance(told, dict) or told.get("status") != "success":
            raise Refused(f"{told.get('error', told) if isinstance(told, dict) else told}")
        return told["data"]["result"]

    def series(self, expression: str, legend: str) -> list[Series]:
        """Those with a point that is a number, in the order of their legends."""
        found = []
        for one in self.range(expression):
            labels = one["metric"]
            points = [(float(at), float(value)) for at, value in one["values"] if math.isfinite(float(value))]
            named = re.sub(r"\{\{\s*(\w+)\s*\}\}", lambda label: labels.get(label[1], ""), legend).strip()
            found += [Series(named or ", ".join(f"{name}={value}" for name, value in sorted(labels.items())) or "value", points)] if points else []
        return sorted(found, key=lambda series: series.legend)


def read(dashboard: dict, prometheus: Prometheus) -> tuple[list[dict], list[Panel]]:
    """Rows, and panels with what there is of each."""
    rows, panels = [], []
    for told in dashboard["panels"]:
        if told["type"] == "row":
            rows.append(told)
            continue
        defaults = told["fieldConfig"]["defaults"]
        panel = Panel(told["id"], told["title"], told.get("description", ""), defaults.get("unit", "short"), defaults.get("min"), told["gridPos"])
        for target in told["targets"]:
            try:
                panel.series += prometheus.series(target["expr"], target.get("legendFormat", ""))
            except Refused as error:
                panel.error = f"{target['expr']}: {error}"
        panels.append(panel)
    return rows, panels


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prometheus", default="http://127.0.0.1:9090")
    parser.add_argument("--dashboard", type=Path, default=Path(__file__).resolve().with_name("dashboard.json"))
    parser.add_argument("--to", type=moment, default=time.time())
    parser.add_argument("--last", type=duration, default=3600.0)
    parser.add_argument("--step", type=duration)
    parser.add_argument("--scrape", type=duration, default=15.0)
    parser.add_argument("--set", type=variable, action="append", default=[])
    parser.add_argument("--title")
    parser.add_argument("--strict", nargs="*", metavar="TITLE")
    given = parser.parse_args()
    dashboard = json.loads(given.dashboard.read_text())
    step = given.step or max(given.scrape, round(given.last / 220, 1))
    # As Grafana has it: a rate wants several scrapes in its window.
    window = max(4 * given.scrape, step + given.scrape)
    known = {"job": ".*", "__rate_interval": f"{window * 1000:.0f}ms", "__interval": f"{step * 1000:.0f}ms", "__range": f"{given.last * 1000:.0f}ms"}
    asked = Range(given.to - given.last, given.to, step)
    prometheus = Prometheus(given.prometheus, asked, known | dict(given.set))
    try:
        rows, panels = read(dashboard, prometheus)
        fired = [series for told in dashboard["annotations"]["list"] for series in prometheus.series(told["expr"], told["titleFormat"])]
    except (Unanswered, Refused) as error:
        print(f"render.py: {error}", file=sys.stderr)
        return 1 if isinstance(error, Refused) else 2
    print(svg(given.title or dashboard["title"], rows, panels, asked, fired), end="")
    empty = [panel.title for panel in panels if not panel.series]
    unknown = set(given.strict or []) - {panel.title for panel in panels}
    for panel in panels:
        if panel.error:
            print(f"render.py: refused: {panel.title}: {panel.error}", file=sys.stderr)
    if empty:
        print(f"render.py: no data: {', '.join(empty)}", file=sys.stderr)
    if unknown:
        print(f"render.py: no such panel: {', '.join(sorted(unknown))}", file=sys.stderr)
    missing = given.strict is not None and (unknown or set(empty) & set(given.strict or empty))
    return 1 if missing or any(panel.error for panel in panels) else 0


if __name__ == "__main__":
    raise SystemExit(main())
