import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("api.md: bodies", .server)
struct BodyTests {
    private static let form = "application/x-www-form-urlencoded", json = "application/json"

    struct Malformed: Sendable, CustomTestStringConvertible {
        let type: String, text: String, why: String

        /// `text` has a character for each byte.
        init(_ type: String, _ text: String, _ why: String) { (self.type, self.text, self.why) = (type, text, why) }

        var body: [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
        var testDescription: String { String(text.prefix(40)) }
    }

    private func post(_ body: [UInt8], _ type: String?, to path: String = "/token") async throws -> Reply {
        var headers = HTTPFields()
        headers[.contentType] = type
        return try await TestServer.ofSuite.send(.post, path, headers: headers, body: body)
    }

    @Test(
        "malformed bodies are 400 invalid_request, and say how",
        arguments: [
            Malformed(form, "grant_type=password&grant_type=password", "grant_type comes twice"),
            Malformed(form, "grant_type=password&x=1&%78=2", "x comes twice"),
            Malformed(form, "grant_type=%ZZ", "percent-encoded"),
            Malformed(form, "grant_type=%", "percent-encoded"),
            Malformed(form, "grant_type=%FF", "percent-encoded"),
            Malformed(form, "grant_type=\u{FF}", "percent-encoded"),
            Malformed(form, "grant_type=a%00b", "NUL"),
            Malformed(form, "grant_type=\0", "NUL"),
            Malformed(form, "", "grant_type is missing"),
            Malformed(form, "grant_type=", "grant_type is missing"),
            Malformed(json, #"{"grant_type":"a","grant_type":"b"}"#, "grant_type comes twice"),
            Malformed(json, #"{"grant_type":"a","\u0067rant_type":"b"}"#, "grant_type comes twice"),
            Malformed(json, #"{"grant_type":"a\u0000"}"#, "NUL"),
            Malformed(json, "{\"grant_type\":\"\u{C3}(\"}", "UTF-8"),
            Malformed(json, #"{"grant_type":"\ud800"}"#, "UTF-8"),
            Malformed(json, #"{"grant_type":"a""#, "not JSON"),
            Malformed(json, #"{"grant_type":"a"} x"#, "not JSON"),
            Malformed(json, String(repeating: "[", count: 1_000), "not JSON"),
            Malformed(json, "", "not JSON"),
            Malformed(json, #"["grant_type"]"#, "JSON object"),
            Malformed(json, #"{"grant_type":5}"#, "grant_type must be a string"),
            Malformed(json, #"{"grant_type":["client_credentials"]}"#, "grant_type must be a string"),
            Malformed(json, #"{"grant_type":null}"#, "grant_type is missing"),
        ])
    func malformed(_ malformed: Malformed) async throws {
        let reply = try await post(malformed.body, malformed.type)

        #expect(reply.outcome == "400 invalid_request")
        #expect(reply["error_description"]?.contains(malformed.why) == true, "\(reply.body)")
        #expect(reply[header: "Content-Type"] == "application/json" && reply[header: "Cache-Control"] == "no-store")
    }

    @Test(
        "64 KiB are read, one byte more is 413",
        arguments: ["/token", "/introspect", "/services/learn/token", "/authorization"])
    func size(_ path: String) async throws {
        let prefix = Array("grant_type=none&token=x&x=".utf8)
        let full = prefix + [UInt8](repeating: UInt8(ascii: "a"), count: 64 * 1_024 - prefix.count)

        let most = try await post(full, BodyTests.form, to: path),
            tooMuch = try await post(full + [UInt8(ascii: "a")], BodyTests.form, to: path)

        #expect(most.status != 413)
        #expect(tooMuch.outcome == "413 too_large")
    }

    @Test("a large body of JSON is refused, whatever is in it")
    func largeJSON() async throws {
        #expect(
            try await post(Array("[\"\(String(repeating: "a", count: 70_000))\"]".utf8), BodyTests.json).outcome
                == "413 too_large")
    }

    @Test(
        "other media types are 415",
        arguments: ["text/plain", "multipart/form-data; boundary=x", "application/xml", nil])
    func mediaType(_ type: String?) async throws {
        #expect(
            try await post(Array("grant_type=client_credentials".utf8), type).outcome == "415 unsupported_media_type")
    }

    @Test("parameters of a media type and its case do not matter, unknown members neither")
    func tolerated() async throws {
        #expect(
            try await post(
                Array("grant_type=password&unknown=1".utf8), "Application/X-WWW-Form-URLEncoded; charset=UTF-8"
            ).outcome == "400 unsupported_grant_type")
        #expect(
            try await post(
                Array(#" {"grant_type":"password","unknown":{"deep":[1]}} "#.utf8), "application/json;charset=utf-8"
            ).outcome == "400 unsupported_grant_type")
    }

    @Test(
        "unknown paths are 404 and wrong methods 405, in JSON, with the guards' headers",
        arguments: [
            ("/nothing", "404 not_found"), ("/token", "405 method_not_allowed"),
            ("/services/learn/nothing", "404 not_found"), ("/token/", "405 method_not_allowed"),
        ])
    func unknown(_ path: String, outcome: String) async throws {
        let reply = try await TestServer.ofSuite.get(path)

        #expect(reply.outcome == outcome)
        #expect(
            reply[header: "X-Content-Type-Options"] == "nosniff" && reply[header: "Referrer-Policy"] == "no-referrer")
    }
}
