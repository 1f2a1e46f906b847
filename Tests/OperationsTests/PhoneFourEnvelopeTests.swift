import Base
import Foundation
import TestSupport
import Testing

@testable import Operations
@testable import PowerAuth

@Suite("PowerAuth 4: temporary keys, envelopes, and what is no request")
struct PhoneFourEnvelopeTests {
    @Test("a request is opened once, while it is fresh, by the key that it names, and tells whose phone it is")
    func envelopes() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            let phone = try await fixture.fourActivated(), other = try await fixture.fourActivated(user: "bob")
            let (reply, exchange) = try await phone.userInfo()
            let replay = try await fixture.post(
                "/pa/v4/user/info", phone.encryptionHeader(inActivation: true), exchange.request.json.bytes)
            let now = Milliseconds.of(fixture.time.now)
            let old = try await phone.userInfo(timestamp: now - 61_000).reply
            let ahead = try await phone.userInfo(timestamp: now + 11_000).reply
            let foreign = try await fixture.post(
                "/pa/v4/user/info", other.encryptionHeader(inActivation: true),
                try phone.encrypt(
                    .genericActivation, [:], with: try await phone.temporaryKey(inActivation: true)
                ).request.json.bytes)
            let label = try await fixture.post(
                "/pa/v4/user/info", phone.encryptionHeader(inActivation: true),
                try phone.encrypt(
                    .tokenCreate, [:], with: try await phone.temporaryKey(inActivation: true)
                ).request.json.bytes)

            #expect(try exchange.open(reply.json) == ["sub": "ada"])
            for refused in [replay, old, ahead, foreign, label] { #expect(refused.isRefused("ERR_ENCRYPTION")) }
            #expect(
                try await fixture.refusedSteps(phone) == ["replay", "timestamp_old", "timestamp_ahead", "mac_mismatch"])
            #expect(try await fixture.refusedSteps(other) == ["temporary_key_of_other"])
        }
    }

    @Test("a temporary key lives five minutes, is of one protocol, and of the registration's own algorithm")
    func keys() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            let phone = try await fixture.fourActivated(), key = try await phone.temporaryKey(inActivation: true)
            let other = await refusal { _ = try await phone.temporaryKey(inActivation: true, as: .p384ML3) }
            let forged = await refusal {
                _ = try await phone.temporaryKey(inActivation: true) {
                    String($0.dropLast()) + ($0.hasSuffix("A") ? "B" : "A")
                }
            }
            fixture.time.advance(301)
            let late = try await fixture.post(
                "/pa/v4/user/info", phone.encryptionHeader(inActivation: true),
                try phone.encrypt(.genericActivation, [:], with: key).request.json.bytes)
            try await fixture.service.tidy()
            let left: Int = try await fixture.database.value("select count(*) from phone_temporary_key")

            #expect(other == .refused(status: 400, code: "ERR_TEMPORARY_KEY"))
            #expect(forged == .refused(status: 400, code: "ERR_TEMPORARY_KEY"))
            #expect(late.isRefused("ERR_ENCRYPTION") && left == 0)
            #expect(
                try await fixture.refusedSteps(phone) == [
                    "algorithm_not_taken", "jwt_signature_mismatch", "temporary_key_expired",
                ])
        }
    }

    /// It looks for the youngest key of an application, of whatever protocol, and makes another if that does not open.
    @Test("a server of the release before, which knows 3.3 alone, can make nothing of a temporary key of 4.0")
    func releaseBefore() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            let phone = try await fixture.fourPhone(), key = try await phone.temporaryKey()
            let rows = try await fixture.database.query(
                """
                select k.id, k.private, k.private_sealed_by from phone_temporary_key k
                where k.application_key = \(phone.applicationKey) and k.registration is null
                order by k.expires_at desc limit 1
                """)
            let row = try #require(rows.first), id: String = try row("id")
            let sealed = try #require(try Sealed(row, "private", by: "private_sealed_by"))
            let vault = fixture.service.parts.vault
            let secret = try vault.open(sealed, .temporarySecret, of: id)

            #expect(id == key.id && secret.expose { $0.count } >= 32)
            #expect(throws: (any Error).self) { try vault.open(sealed, .temporaryPrivate, of: id) }
        }
    }

    @Test("the status opens under either label")
    func labels() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            let phone = try await fixture.fourActivated()
            let sdk = try await phone.status(), documents = try await phone.status(.activationStatus)

            #expect(sdk == documents && sdk.state == .active)
        }
    }

    private static let hostileBodies: [[UInt8]] = [
        [], Array("{".utf8), Array("null".utf8), Array(#"{"requestObject":null}"#.utf8),
        Array(#"{"requestObject":{"jwt":"a.b.c"}}"#.utf8),
        Array(#"{"temporaryKeyId":"x","encryptedData":"","nonce":"","timestamp":-1}"#.utf8),
        [UInt8](repeating: 0x5B, count: 2_000), [0xFF, 0xFE],
    ]

    @Test(
        "whatever is sent is answered in the SDK's envelope, and never by a fault of the server",
        arguments: PowerAuthFourEndpoint.allCases)
    func hostile(endpoint: PowerAuthFourEndpoint) async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            let phone = try await fixture.fourActivated()
            let sealed = phone.encryptionHeader(inActivation: true)
            for body in Self.hostileBodies {
                for isSealed in [false, true] {
                    let reply = try await fixture.post("/pa/v4/\(endpoint.rawValue)", isSealed ? sealed : [:], body)
                    let isRefused = [400, 401].contains(reply.status) && reply.code != nil
                    #expect(endpoint == .status ? reply.isOK : isRefused)
                }
            }
        }
    }

    @Test("what is signed and sealed, and says nothing, is refused", arguments: ["password/change", "biometry/add"])
    func nothing(name: String) async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourActivated()
            let label = try #require(EnvelopeLabel(rawValue: "/pa/\(name)"))
            let reply = try await phone.sealed(name, label, [:]).reply
            #expect(reply.isRefused("INVALID_REQUEST"))
        }
    }

    @Test("a key of ML-KEM that is none is refused, and the counter of the right code beside it moves")
    func unreduced() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourActivated(.p384ML3)
            let good = try SharedSecretOffer.fresh(.p384ML3).request.json
            let prefix = SharedSecretAlgorithm.p384ML3.encapsulationPrefix.bytes
            let bad = Base64Text.encode(prefix + [UInt8](repeating: 0xFF, count: 1184))
            let point = good["encapsulationKeys"]?.array?.first ?? .null
            let asked: JSONValue = ["algorithm": "EC_P384_ML_L3", "encapsulationKeys": .array([point, .string(bad)])]
            let refused = try await phone.sealed("password/change", .passwordChange, asked).reply
            let status = try await phone.status()

            #expect(refused.isRefused("INVALID_REQUEST"))
            #expect(try phone.isInStep(status))
            #expect(try await fixture.refusedSteps(phone) == ["public_key_malformed"])
        }
    }
}
