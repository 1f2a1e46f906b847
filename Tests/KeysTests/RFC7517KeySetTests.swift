import Base
import Testing

@testable import Keys

@Suite("RFC 7517 key sets")
struct RFC7517KeySetTests {
    private func jwk(_ kid: String, _ changes: JSONObject = [:]) async throws -> JSONValue {
        var members = try await Signer().publicKey.json.object ?? [:]
        members["kid"] = .string(kid)
        for (name, value) in changes { members[name] = value }
        return .object(members)
    }

    @Test("an object with keys and a bare array are read alike")
    func forms() async throws {
        let (one, two) = (try await jwk("1"), try await jwk("2"))

        #expect(try await JSONWebKey.set(["keys": [one, two]]).map(\.kid) == ["1", "2"])
        #expect(try await JSONWebKey.set([one, two]).map(\.kid) == ["1", "2"])
        #expect(try await JSONWebKey.set(["keys": []]).isEmpty)
        await #expect(throws: JSONWebKey.Unacceptable.notAnObject) { try await JSONWebKey.set(["key": [one]]) }
    }

    @Test("two keys with one kid refuse the set")
    func duplicates() async throws {
        let (one, two) = (try await jwk("1"), try await jwk("1"))

        await #expect(throws: JSONWebKey.Unacceptable.duplicateKid("1")) { try await JSONWebKey.set([one, two]) }
    }

    @Test("a private key or a secret refuses the whole set")
    func secrets() async throws {
        let (one, two) = (try await jwk("1"), try await jwk("2", ["d": "AQ"]))

        await #expect(throws: JSONWebKey.Unacceptable.privateKey) { try await JSONWebKey.set([one, two]) }
        await #expect(throws: JSONWebKey.Unacceptable.symmetric) {
            try await JSONWebKey.set([one, ["kty": "oct", "k": "AQ"]])
        }
    }

    @Test("keys of other kinds are left out, but not until none is left")
    func unsupported() async throws {
        let (one, encryption) = (try await jwk("1"), try await jwk("2", ["use": "enc"]))

        #expect(try await JSONWebKey.set([encryption, one]).map(\.kid) == ["1"])
        await #expect(throws: JSONWebKey.Unacceptable.self) { try await JSONWebKey.set([encryption]) }
    }

    @Test("of a fetched set everything unusable is left out")
    func fetched() async throws {
        let (one, two, three) = (try await jwk("1"), try await jwk("2", ["d": "AQ"]), try await jwk("3", ["x": "AA"]))

        #expect(try await JSONWebKey.usable(["keys": [two, three, 7, one]], atMost: 64).map(\.kid) == ["1"])
    }
}
