import Base
import Testing

@testable import Keys

@Suite("RFC 7515 what is refused before any key is looked at")
struct RFC7515RefusalTests {
    private typealias Malformed = CompactJWS.Malformed

    private func compact(_ header: String, _ payload: String = "{}") -> String {
        Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8) + ".AAAA"
    }

    @Test(
        "alg none in any case of its letters, with or without a signature", arguments: ["none", "NONE", "None", "nOnE"])
    func unsecured(_ name: String) {
        #expect(throws: Malformed.unsecured) { try JWT(compact(#"{"alg":"\#(name)"}"#)) }
        #expect(throws: Malformed.unsecured) { try JWT(compact(#"{"alg":"\#(name)"}"#).dropLast(4)) }
    }

    @Test(
        "a header with the wrong members",
        arguments: [
            (#"{"typ":"JWT"}"#, Malformed.headerMember("alg")), (#"{"alg":7}"#, .headerMember("alg")),
            (#"{"alg":""}"#, .headerMember("alg")),
            (#"{"alg":"ES256","kid":7}"#, .headerMember("kid")),
            (#"{"alg":"ES256","typ":["JWT"]}"#, .headerMember("typ")),
            (#"{"alg":"ES256","crit":["exp"],"exp":1}"#, .critical), (#"{"alg":"ES256","crit":[]}"#, .critical),
            (#"{"alg":"ES256","b64":false}"#, .unencodedPayload),
            (#"{"alg":"ES256","b64":false,"crit":["b64"]}"#, .critical),
            (#"{"alg":"ES256","alg":"none"}"#, .notJSON(.header, .duplicate("alg"))),
            (#"["ES256"]"#, .notAnObject(.header)),
            (#"{"alg":"ES256"}x"#, .notJSON(.header, .syntax(offset: 15))),
            (#"{"alg":"ES256","x":"\u0000"}"#, .notJSON(.header, .nulByte)),
        ])
    func header(_ text: String, _ reason: CompactJWS.Malformed) {
        #expect(throws: reason) { try JWT(compact(text)) }
    }

    @Test(
        "a claim that stands twice, and claims that are no object",
        arguments: [
            (#"{"sub":"ada","sub":"eve"}"#, Malformed.notJSON(.payload, .duplicate("sub"))),
            (#"{"\u0073ub":"ada","sub":"eve"}"#, .notJSON(.payload, .duplicate("sub"))), ("[]", .notAnObject(.payload)),
            ("\"ada\"", .notAnObject(.payload)),
        ])
    func claims(_ text: String, _ reason: CompactJWS.Malformed) {
        #expect(throws: reason) { try JWT(compact(#"{"alg":"ES256"}"#, text)) }
    }

    @Test(
        "padding, foreign letters and stray bits in each part",
        arguments: [
            ("eyJhbGciOiJFUzI1NiJ9=.e30.AAAA", CompactJWS.Part.header), ("eyJhbGciOiJFUzI1NiJ9.e30=.AAAA", .payload),
            ("eyJhbGciOiJFUzI1NiJ9.e30.AA==", .signature),
            ("eyJhbGciOiJFUzI1NiJ9.e31.AAAA", .payload), ("eyJhbGciOiJFUzI1NiJ9.e30.AB", .signature),
            ("eyJhbGciOiJFUzI1NiJ9.e3+.AAAA", .payload),
            ("eyJhbGciOiJFUzI1NiJ9.e30.AAAA\n", .signature), (" eyJhbGciOiJFUzI1NiJ9.e30.AAAA", .header),
            ("eyJhbGciOiJFUzI1NiJ9.e30.A", .signature),
        ])
    func encoding(_ text: String, _ part: CompactJWS.Part) {
        #expect(throws: Malformed.notBase64URL(part)) { try JWT(text) }
    }

    @Test(
        "anything but three parts",
        arguments: [
            "", ".", "..", "e30.e30", "eyJhbGciOiJFUzI1NiJ9.e30.", ".e30.AAAA", "eyJhbGciOiJFUzI1NiJ9.e30.AAAA.AAAA",
            #"{"payload":"e30","signatures":[]}"#,
        ])
    func parts(_ text: String) {
        #expect(throws: Malformed.notCompact) { try JWT(text) }
    }

    @Test("a header over 8 KiB and a token over 64 KiB; one byte less is read")
    func length() throws {
        func filled(_ count: Int) -> String {
            #"{"alg":"ES256","x":""# + String(repeating: "x", count: count - 22) + #""}"#
        }

        #expect(throws: Malformed.tooLong) { try JWT(compact(filled(8193))) }
        #expect(throws: Malformed.tooLong) { try JWT(compact(#"{"alg":"ES256"}"#, filled(50_000))) }
        #expect(try JWT(compact(filled(8192))).algorithm == "ES256")
        #expect(try JWT(compact(#"{"alg":"ES256"}"#, filled(49_000))).claims["x"] != nil)
    }

    @Test("every refusal says something and repeats nothing of the token")
    func descriptions() {
        let all: [CompactJWS.Malformed] = [
            .tooLong, .notCompact, .notBase64URL(.header), .notJSON(.payload, .duplicate("SECRET")),
            .notJSON(.header, .tooDeep),
            .notAnObject(.payload), .headerMember("alg"), .unsecured, .critical, .unencodedPayload,
        ]

        #expect(Set(all.map(\.description)).count == all.count)
        #expect(all.allSatisfy { !$0.description.contains("SECRET") })
    }
}
