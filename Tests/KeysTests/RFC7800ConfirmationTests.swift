import Base
import Foundation
import Testing

@testable import Keys

@Suite("RFC 7800: the key that a JWT brings with it")
struct RFC7800ConfirmationTests {
    /// RFC 7517, A.1; its thumbprint made with another implementation.
    private static let key: JSONObject = [
        "kty": "EC", "crv": "P-256", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    ]
    private static let thumbprint = "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s"

    private func jwt(_ claims: JSONObject) throws -> JWT {
        let parts = [#"{"alg":"ES256"}"#.utf8.map { $0 }, JSONValue.object(claims).bytes].map { Base64URL.encode($0) }
        return try JWT("\(parts[0]).\(parts[1]).AAAA")
    }

    private func key(_ cnf: JSONValue) async throws -> JSONWebKey? {
        try await Confirmation.key(of: try jwt(["cnf": cnf]))
    }

    @Test("a JWT without cnf brings none")
    func absent() async throws {
        #expect(try await Confirmation.key(of: jwt([:])) == nil)
    }

    @Test(
        "cnf.jwk is the key; its thumbprint and its name may stand beside it, and whatever is no method of confirmation"
    )
    func accepted() async throws {
        let named = JSONValue.object(Self.key.merging("kid", "a"))
        let beside: [JSONObject] = [[:], ["jkt": .string(Self.thumbprint)], ["kid": "a"], ["battery": 80]]
        for members in beside {
            var cnf = members
            cnf["jwk"] = named
            #expect(try await key(.object(cnf))?.thumbprint == Self.thumbprint)
        }
    }

    @Test(
        "cnf that names no key which can be used refuses the JWT",
        arguments: [
            ("{}", "names no key"), ("null", "must be an object"), ("[]", "must be an object"),
            (#""key""#, "must be an object"),
            (#"{"kid":"a"}"#, "names no key"),
            (#"{"jkt":"cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s"}"#, "names no key"),
            (#"{"jku":"https://example.org/keys","kid":"a"}"#, "cnf.jku"), (#"{"jwe":"a.b.c.d.e"}"#, "cnf.jwe"),
            (#"{"x5t#S256":"AAAA"}"#, "cnf.x5t#S256"),
            (#"{"jwk":{"kty":"oct","k":"AAAA"}}"#, "shared secret"), (#"{"jwk":{}}"#, "not acceptable"),
            (#"{"jwk":null}"#, "not acceptable"), (#"{"jwk":[]}"#, "not acceptable"),
        ])
    func refused(_ text: String, _ why: String) async throws {
        let refusal = await #expect(throws: Confirmation.Refused.self) {
            try await key(try JSONReader.read(Array(text.utf8)))
        }
        #expect(refusal?.description.contains(why) == true, "\(refusal?.description ?? "")")
    }

    @Test(
        "a second member that says another key refuses the JWT, as does every other method beside jwk",
        arguments: [
            ("jkt", "AAAA", "cnf.jkt"), ("jkt", 1, "cnf.jkt"), ("kid", "b", "cnf.kid"), ("kid", 1, "cnf.kid"),
            ("jku", "https://example.org/keys", "cnf.jku"),
            ("jwe", "a.b.c.d.e", "cnf.jwe"), ("x5t#S256", "AAAA", "cnf.x5t#S256"), ("jku", nil, "cnf.jku"),
        ] as [(String, JSONValue, String)])
    func contradicting(_ name: String, _ value: JSONValue, _ why: String) async throws {
        let cnf = JSONObject([("jwk", .object(Self.key.merging("kid", "a"))), (name, value)])
        let refusal = await #expect(throws: Confirmation.Refused.self) { try await key(.object(cnf)) }
        #expect(refusal?.description.contains(why) == true, "\(refusal?.description ?? "")")
    }
}

private extension JSONObject {
    func merging(_ name: String, _ value: JSONValue) -> JSONObject {
        var members = self
        members[name] = value
        return members
    }
}
