#!/usr/bin/env python3
"""Draws a trace of a file of spans (`trace-file`, OTLP's file format): as text for a terminal, or as a picture.

In:  FILE…          one or several: the server's, the proxy's (deploy/proxy/spans.py)
     --trace ID     which one, by the beginning of its id, as it stands in the log (`trace_id`); without it the longest
     --list         the newest fifty instead, a line each
     --svg PATH     a picture in place of text
Out: on stdout what takes how long, below what. Exit 1 where there is no such trace.
"""
from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from html import escape
from pathlib import Path

WIDTH, ROW, LEFT, TOP = 1180, 22, 440, 44
KINDS = {1: "inside", 2: "server", 3: "client", 4: "producer", 5: "consumer"}
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1d1d2b; } .quiet { fill: #5a5a6e; } .line { stroke: #e3e3ec; } rect { rx: 2; }
.haproxy { fill: #0f7b6c; } .server, .consumer { fill: #4338a8; } .inside { fill: #7a6fd0; } .client, .producer { fill: #a8731e; } .database { fill: #2f6db3; } .wait { fill: #b3402f; }
@media (prefers-color-scheme: dark) { svg { background: #15151d; } text { fill: #ececf4; } .quiet { fill: #a5a5b8; } .line { stroke: #33333f; } }
"""


class Span:
    def __init__(self, told: dict, service: str):
        self.trace, self.id, self.parent = told["traceId"], told["spanId"], told.get("parentSpanId")
        self.name, self.service, self.kind = told["name"], service, KINDS.get(told.get("kind"), "inside")
        self.start, self.end = int(told["startTimeUnixNano"]), int(told["endTimeUnixNano"])
        self.failed = told.get("status", {}).get("code") == 2
        self.attributes = {one["key"]: next(iter(one["value"].values()), "") for one in told.get("attributes", [])}

    @property
    def took_ms(self) -> float:
        return (self.end - self.start) / 1e6

    @property
    def look(self) -> str:
        if self.service == "haproxy":
            return "haproxy"
        if "db.system.name" in self.attributes:
            return "database"
        return "wait" if self.name.startswith("wait ") else self.kind

    @property
    def title(self) -> str:
        told = self.attributes.get("http.response.status_code") or self.attributes.get("error.type")
        return self.name + (f" ({told})" if told else "")


def read(files: list[str]) -> dict[str, list[Span]]:
    """By trace. A last line may be half written."""
    traces: dict[str, list[Span]] = defaultdict(list)
    for file in files:
        for line in Path(file).read_text().splitlines():
            try:
                message = json.loads(line)
            except ValueError:
                continue
            for resource in message.get("resourceSpans", []):
                names = [one["value"].get("stringValue") for one in resource.get("resource", {}).get("attributes", []) if one["key"] == "service.name"]
                for scope in resource.get("scopeSpans", []):
                    for told in scope.get("spans", []):
                        span = Span(told, names[0] if names else "")
                        traces[span.trace].append(span)
    return traces


def ordered(spans: list[Span]) -> list[tuple[int, Span]]:
    """With its depth: each behind its parent, by when it began. What has a parent that nobody told of stands at the front."""
    known, children = {span.id for span in spans}, defaultdict(list)
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        children[span.parent if span.parent in known else None].append(span)
    rows: list[tuple[int, Span]] = []
    waiting = [(0, span) for span in reversed(children[None])]
    while waiting:
        depth, span = waiting.pop()
        rows.append((depth, span))
        waiting += [(depth + 1, child) for child in reversed(children[span.id])]
    return rows


def text(spans: list[Span]) -> str:
    rows, begun = ordered(spans), min(span.start for span in spans)
    lines = [f"trace {spans[0].trace}, {len(spans)} spans"]
    for depth, span in rows:
        mark = "!" if span.failed else " "
        lines.append(f"{(span.start - begun) / 1e6:10.2f} {span.took_ms:10.2f} ms {mark} {'  ' * depth}{span.title}")
    return "\n".join(lines)


def svg(spans: list[Span]) -> str:
    rows = ordered(spans)
    begun, ended = min(span.start for span in spans), max(span.end for span in spans)
    scale, height = (WIDTH - LEFT - 90) / max(ended - begun, 1), TOP + ROW * len(rows) + 14
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="A trace of {len(rows)} spans, {(ended - begun) / 1e6:.1f} ms">',
           f"<style>{STYLE}</style>", f'<text x="8" y="18" class="quiet">trace {spans[0].trace}</text>']
    for share in range(5):
        x = LEFT + share / 4 * (ended - begun) * scale
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 12}" y2="{height - 10}" class="line"/>'
                   f'<text x="{x:.1f}" y="{TOP - 16}" text-anchor="middle" class="quiet">{share / 4 * (ended - begun) / 1e6:.1f} ms</text>')
    for row, (depth, span) in enumerate(rows):
        y, x, width = TOP + row * ROW, LEFT + (span.start - begun) * scale, max((span.end - span.start) * scale, 1.5)
        room = (LEFT - 20 - depth * 14) // 7
        shown = span.title if len(span.title) <= room else span.title[:room - 1] + "…"
        out.append(f'<g><title>{escape(span.title)}: {span.took_ms:.2f} ms</title><text x="{8 + depth * 14}" y="{y + 12}">{escape(shown)}{" ✗" if span.failed else ""}</text>'
                   f'<rect x="{x:.1f}" y="{y + 2}" width="{width:.1f}" height="{ROW - 8}" class="{span.look}"/>'
                   f'<text x="{x + width + 5:.1f}" y="{y + 12}" class="quiet">{span.took_ms:.2f}</text></g>')
    return "\n".join([*out, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--trace")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--svg")
    given = parser.parse_args()
    traces = {name: spans for name, spans in read(given.files).items() if name.startswith(given.trace or "")}
    if not traces:
        sys.exit("trace.py: no such trace")
    if given.list:
        for spans in sorted(traces.values(), key=lambda spans: min(span.start for span in spans))[-50:]:
            first = ordered(spans)[0][1]
            print(f"{first.trace} {max(span.end for span in spans) / 1e6 - min(span.start for span in spans) / 1e6:10.2f} ms {len(spans):4} {first.title}")
        return
    chosen = max(traces.values(), key=lambda spans: (len(spans), spans[0].trace))
    if given.svg:
        Path(given.svg).write_text(svg(chosen))
    else:
        print(text(chosen))


if __name__ == "__main__":
    main()
