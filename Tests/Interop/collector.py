"""A collector of spans (OTLP over HTTP, JSON). Each body is read by OpenTelemetry's own messages, which take no member that they do not know."""
from __future__ import annotations

import base64
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

# OTLP writes these in hexadecimal, against the rule of protobuf's JSON, which is base64.
IDENTIFIERS = {"traceId", "spanId", "parentSpanId"}


@dataclass
class Span:
    service: str
    trace: str
    id: str
    parent: str
    name: str
    start: int
    end: int
    failed: bool
    attributes: dict = field(default_factory=dict)


def by_protobuf(value):
    if isinstance(value, dict):
        return {key: base64.b64encode(bytes.fromhex(one)).decode() if key in IDENTIFIERS else by_protobuf(one) for key, one in value.items()}
    return [by_protobuf(one) for one in value] if isinstance(value, list) else value


def spans(body: str | bytes) -> list[Span]:
    message = json_format.ParseDict(by_protobuf(json.loads(body)), ExportTraceServiceRequest())
    found = []
    for resource in message.resource_spans:
        service = next(one.value.string_value for one in resource.resource.attributes if one.key == "service.name")
        for told in (one for scope in resource.scope_spans for one in scope.spans):
            assert len(told.trace_id) == 16 and len(told.span_id) == 8 and 0 < told.start_time_unix_nano <= told.end_time_unix_nano
            attributes = {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in told.attributes}
            found.append(Span(service, told.trace_id.hex(), told.span_id.hex(), told.parent_span_id.hex(), told.name,
                              told.start_time_unix_nano, told.end_time_unix_nano, told.status.code == 2, attributes))
    return found


class Collector:
    """`answers`: statuses that it gives first, before it takes what comes."""

    def __init__(self):
        self.bodies: list[bytes] = []
        self.answers: list[int] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = collector.answers.pop(0) if collector.answers else 200
                if status == 200 and (self.path, self.headers["Content-Type"]) != ("/v1/traces", "application/json"):
                    status = 415
                if status == 200:
                    collector.bodies.append(body)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1/traces"

    @property
    def spans(self) -> list[Span]:
        return [span for body in list(self.bodies) for span in spans(body)]

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
