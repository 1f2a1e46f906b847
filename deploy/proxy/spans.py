#!/usr/bin/env python3
"""Makes the proxy's part of each trace of what HAProxy logs (haproxy.cfg, `log-format`), so that a trace begins where the request came in.

In:  --listen ADDRESS:PORT  where HAProxy logs to by UDP (127.0.0.1:5140), or lines on standard input with --listen -
     --endpoint URL         a collector (OTLP over HTTP, JSON), and/or
     --file PATH            OTLP's file format, an object a line
Out: nothing but the spans; a line on stderr where a collector does not take them, which are then dropped: this is for looking at, not for keeping.
"""
from __future__ import annotations

import argparse
import json
import re
import socket
import sys
import urllib.request
from collections.abc import Iterable, Iterator

LINE = re.compile(r"\{.*\}")
TRACE, SPAN = re.compile(r"(?!0{32})[0-9a-f]{32}"), re.compile(r"(?!0{16})[0-9a-f]{16}")
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
TIMES = ("queue", "connect", "answer")


def span(line: str) -> dict | None:
    """Of a line of the log; `None` of one that is no request's, or of a trace that is not kept."""
    found = LINE.search(line)
    try:
        return made(json.loads(found.group())) if found else None
    except (ValueError, KeyError, TypeError):
        return None


def made(told: dict) -> dict | None:
    if told.get("flags") != "01" or not TRACE.fullmatch(str(told.get("trace"))) or not SPAN.fullmatch(str(told.get("span"))):
        return None
    method, status = told.get("method"), int(told.get("status") or 0)
    attributes = {"http.request.method": method if method in METHODS else "_OTHER", "http.response.status_code": status, "pando.proxy.server": str(told.get("server"))}
    # Milliseconds; -1 where it did not come to that.
    attributes |= {f"pando.proxy.{name}_ms": int(told[name]) for name in TIMES if int(told.get(name, -1)) >= 0}
    failed = status >= 500 or status < 100
    return {
        "traceId": told["trace"], "spanId": told["span"], "flags": 0x101, "name": f"{attributes['http.request.method']} at the proxy", "kind": 2,
        # A clock may be set back between the two.
        "startTimeUnixNano": str(told["began"] * 1000), "endTimeUnixNano": str(max(told["began"], told["ended"]) * 1000),
        "attributes": [{"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}} for key, value in attributes.items()],
    } | ({"status": {"code": 2}} if failed else {})


def message(spans: list[dict]) -> bytes:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "haproxy"}}]}
    scope = {"scope": {"name": "pando/deploy/proxy/spans.py"}, "spans": spans}
    return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}, separators=(",", ":")).encode()


def heard(address: str) -> Iterator[list[str]]:
    """Lines, as many as there are at once."""
    if address == "-":
        for line in sys.stdin:
            yield [line]
        return
    host, port = address.rsplit(":", 1)
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind((host.strip("[]"), int(port)))
        while True:
            lines = [listener.recv(65_535)]
            listener.setblocking(False)
            try:
                while len(lines) < 500:
                    lines.append(listener.recv(65_535))
            except BlockingIOError:
                pass
            listener.setblocking(True)
            yield [line.decode(errors="replace") for line in lines]


def send(spans: list[dict], endpoint: str | None, file: str | None) -> None:
    body = message(spans)
    if file:
        with open(file, "ab") as log:
            log.write(body + b"\n")
    if endpoint:
        request = urllib.request.Request(endpoint, data=body, headers={"Content-Type": "application/json"})
        try:
            urllib.request.urlopen(request, timeout=10).close()
        except OSError as error:
            print(f"spans.py: {len(spans)} spans dropped: {error}", file=sys.stderr)


def serve(batches: Iterable[list[str]], endpoint: str | None, file: str | None) -> None:
    for lines in batches:
        if spans := [one for line in lines if (one := span(line))]:
            send(spans, endpoint, file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--listen", default="127.0.0.1:5140")
    parser.add_argument("--endpoint")
    parser.add_argument("--file")
    given = parser.parse_args()
    if not (given.endpoint or given.file):
        parser.error("name --endpoint or --file, or both")
    try:
        serve(heard(given.listen), given.endpoint, given.file)
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
