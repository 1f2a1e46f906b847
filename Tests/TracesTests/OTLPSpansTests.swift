import Foundation
import Testing
import Tracing

@testable import Traces

@Suite("OTLP, JSON Protobuf Encoding")
struct OTLPSpansTests {
    private func span(_ change: (RecordedSpan) -> Void = { _ in }) throws -> [String: Any] {
        let kept = KeptSpans(), recorder = kept.recorder()
        let remote = TraceContext(
            traceparent: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"], tracestate: ["a=1"])
        let span = recorder.begin("POST /token", .server, after: remote)
        change(span)
        span.end()
        return try written(kept.all, .init(resource: [], version: "1"))
    }

    private func written(_ spans: [FinishedSpan], _ encoding: OTLPSpans) throws -> [String: Any] {
        let scope = try scopes(spans, encoding)["scopeSpans"] as? [[String: Any]]
        return try #require((scope?.first?["spans"] as? [[String: Any]])?.first)
    }

    private func scopes(_ spans: [FinishedSpan], _ encoding: OTLPSpans) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(try encoding.json(spans))) as? [String: Any]
        return try #require((object?["resourceSpans"] as? [[String: Any]])?.first)
    }

    private func value(_ span: [String: Any], _ key: String) throws -> [String: Any] {
        let attributes = try #require(span["attributes"] as? [[String: Any]])
        return try #require(attributes.first { $0["key"] as? String == key }?["value"] as? [String: Any])
    }

    @Test("identifiers in hexadecimal, times in quotes, kinds as numbers, a parent of another program marked so")
    func members() throws {
        let span = try span()

        #expect(span["traceId"] as? String == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect((span["spanId"] as? String)?.count == 16 && span["parentSpanId"] as? String == "00f067aa0ba902b7")
        #expect(span["name"] as? String == "POST /token" && span["kind"] as? Int == 2)
        #expect(span["traceState"] as? String == "a=1" && span["flags"] as? Int == 0x301)
        let start = UInt64(span["startTimeUnixNano"] as? String ?? ""),
            end = UInt64(span["endTimeUnixNano"] as? String ?? "")
        #expect(try #require(start) <= #require(end) && start ?? 0 > 1_500_000_000_000_000_000)
        #expect(span["status"] == nil && span["events"] == nil && span["links"] == nil)
    }

    @Test("values are of the kind that they were set as; whole numbers stand in quotes")
    func values() throws {
        let span = try span {
            $0.set(.httpRoute, "/token \"and\" \u{1F600}\u{0}")
            $0.set(.httpStatus, 503)
            $0.attributes["share"] = 0.5
            $0.attributes["none"] = Double.infinity
            $0.attributes["is"] = true
            $0.attributes["words"] = ["a", "b"]
            $0.attributes["long"] = String(repeating: "x", count: 100_000)
            $0.fail("503")
        }

        #expect(try value(span, "http.route")["stringValue"] as? String == "/token \"and\" \u{1F600}\u{0}")
        #expect(try value(span, "http.response.status_code")["intValue"] as? String == "503")
        #expect(try value(span, "share")["doubleValue"] as? Double == 0.5)
        #expect(try value(span, "none")["stringValue"] as? String == "inf")
        #expect(try value(span, "is")["boolValue"] as? Bool == true)
        let words = try value(span, "words")["arrayValue"] as? [String: [[String: String]]]
        #expect(words == ["values": [["stringValue": "a"], ["stringValue": "b"]]])
        #expect((try value(span, "long")["stringValue"] as? String)?.count == 1_024)
        #expect((span["status"] as? [String: Any])?["code"] as? Int == 2)
        #expect(try value(span, "error.type")["stringValue"] as? String == "503")
    }

    @Test("events and links have contexts and attributes of their own; the whole is one line with who recorded it")
    func whole() throws {
        let kept = KeptSpans(), recorder = kept.recorder(), other = recorder.begin("other", .internal)
        let span = recorder.begin("span", .client)
        span.link(to: other)
        span.addEvent(SpanEvent(name: "line\nbreak", attributes: ["key": "value"]))
        span.end()
        let encoding = OTLPSpans(resource: [("service.name", "pando")], version: "0.1.0")

        let line = String(decoding: try encoding.json(kept.all), as: UTF8.self), told = try written(kept.all, encoding)
        let link = try #require((told["links"] as? [[String: Any]])?.first)
        let event = try #require((told["events"] as? [[String: Any]])?.first)
        #expect(!line.contains("\n"))
        #expect(link["spanId"] as? String == other.trace.spanID.description && link["flags"] as? Int == 0x101)
        #expect(event["name"] as? String == "line\nbreak" && (event["attributes"] as? [Any])?.count == 1)
        let all = try scopes(kept.all, encoding), resource = all["resource"] as? [String: [[String: Any]]]
        #expect(resource?["attributes"]?.first?["key"] as? String == "service.name")
        let scope = (all["scopeSpans"] as? [[String: Any]])?.first?["scope"] as? [String: String]
        #expect(scope == ["name": "pando", "version": "0.1.0"])
    }
}
