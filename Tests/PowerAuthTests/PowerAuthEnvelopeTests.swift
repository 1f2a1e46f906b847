import Base
import Foundation
import ProtocolTestSupport
import Testing

@testable import PowerAuth

@Suite("PowerAuth: envelopes, JWTs and offline codes from hostile hands")
struct PowerAuthEnvelopeTests {
    static let id = "6b5fb18b-e93f-47e9-a29f-3cf7f7d6ff85"

    static func request(_ name: String = "", _ value: JSONValue? = Optional.none) -> JSONValue {
        let block = [UInt8](repeating: 1, count: 16),
            sealed = SealedData(encryptedData: block, mac: block + block, nonce: block, timestamp: 5)
        let good = Envelope(temporaryKeyID: id, ephemeralPublicKey: PowerAuthKeyPair.fresh().public33, sealed: sealed)
        var object = JSONObject()
        for member in good.json.object ?? JSONObject() where member.name != name { object[member.name] = member.value }
        if let value { object[name] = value }
        return .object(object)
    }

    @Test("a good one is read, with members that nobody knows")
    func good() throws {
        let json = Self.request("later", ["a": [1, 2]]), read = try Envelope(json: json),
            body = try Envelope(body: json.bytes)

        #expect(read.json.text == Self.requestWithout("later", json).text)
        #expect(body == read)
    }

    static func requestWithout(_ name: String, _ json: JSONValue) -> JSONValue {
        .object((json.object ?? JSONObject()).filtered { $0 != name })
    }

    @Test(
        "each member that is missing or of another form",
        arguments: [
            ("temporaryKeyId", "x"), ("temporaryKeyId", ""), ("temporaryKeyId", 1), ("encryptedData", ""),
            ("encryptedData", "AAAA"), ("encryptedData", "not base64"),
            ("encryptedData", ["AAAA"]), ("mac", "AAAA"), ("mac", "not base64"), ("mac", true), ("nonce", ""),
            ("nonce", "AAAA"), ("timestamp", "5"), ("timestamp", -1),
            ("timestamp", .number(1.5)), ("timestamp", nil), ("ephemeralPublicKey", "not base64"),
            ("ephemeralPublicKey", nil),
        ] as [(String, JSONValue)])
    func members(name: String, value: JSONValue) {
        #expect(throws: PowerAuthRefusal.envelopeMalformed) { try Envelope(json: Self.request(name)) }
        #expect(throws: PowerAuthRefusal.envelopeMalformed) { try Envelope(json: Self.request(name, value)) }
    }

    @Test("ephemeral keys off the curve", arguments: ["", "AA==", "BAAA"])
    func points(text: String) {
        #expect(throws: PowerAuthRefusal.publicKeyMalformed) {
            try Envelope(json: Self.request("ephemeralPublicKey", .string(text)))
        }
    }

    @Test(
        "bodies that are no envelope",
        arguments: [
            "", "{", "[]", "null", "\"x\"", "{}", "{\"mac\":1,\"mac\":2}", "\u{0}", "[[[[[[[[]]]]]]]]",
            "{\"mac\":\"\\u0000\"}",
        ])
    func bodies(text: String) {
        #expect(throws: PowerAuthRefusal.envelopeMalformed) { try Envelope(body: Array(text.utf8)) }
    }

    @Test("old and early envelopes")
    func times() throws {
        let envelope = try Envelope(json: Self.request("timestamp", 1_767_225_612_000)),
            made = Milliseconds.date(1_767_225_612_000)
        try envelope.checkTime(made.addingTimeInterval(60))
        try envelope.checkTime(made.addingTimeInterval(-10))

        #expect(throws: PowerAuthRefusal.timestampOld) { try envelope.checkTime(made.addingTimeInterval(60.002)) }
        #expect(throws: PowerAuthRefusal.timestampAhead) { try envelope.checkTime(made.addingTimeInterval(-10.002)) }
    }

    @Test("a request opens with its own temporary key and label alone, and the empty plaintext is one")
    func exchange() throws {
        let temporary = PowerAuthKeyPair.fresh(), ephemeral = PowerAuthKeyPair.fresh()
        let context = ECIESContext.application(key: "key", secret: "secret", temporaryKeyID: Self.id)
        for sent in [ephemeral.public33, ephemeral.public65] {
            let phone = try ECIES(
                asking: temporary.public65, ephemeral: ephemeral, sent: sent, label: .activation, context: context)
            let sealed = try phone.seal(
                request: [], nonce: [UInt8](repeating: 1, count: 16), timestamp: 7, ephemeral: sent)
            let request = Envelope(temporaryKeyID: Self.id, ephemeralPublicKey: sent, sealed: sealed)
            let server = try ECIES(answering: request, own: temporary, label: .activation, context: context)
            let plaintext = try server.open(request)
            #expect(plaintext.isEmpty)

            let otherLabel = try ECIES(answering: request, own: temporary, label: .tokenCreate, context: context)
            let otherKey = try ECIES(answering: request, own: .fresh(), label: .activation, context: context)
            let other = ECIESContext.application(
                key: "key", secret: "secret", temporaryKeyID: "e43f5f15-6483-4076-aacb-b8e6a491d576")
            let otherID = try ECIES(answering: request, own: temporary, label: .activation, context: other)
            for wrong in [otherLabel, otherKey, otherID] {
                #expect(throws: PowerAuthRefusal.macMismatch) { try wrong.open(request) }
            }
        }
    }

    /// A JWT whose parts are given as text.
    static func jwt(_ header: String, _ claims: String) -> String {
        "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8)).AAAA"
    }

    @Test("requests for temporary keys that are none", arguments: PowerAuthEnvelopeTests.noRequests)
    func temporaryKeyRequests(text: String) {
        #expect(throws: PowerAuthRefusal.jwtMalformed) { try TemporaryKeyRequest(jwt: text) }
    }

    static let noRequests: [String] = [
        "", ".", "..", "...", "a.b.c", "e30.e30", "e30.e30.AAAA.AAAA", "e30=.e30=.AAAA",
        String(repeating: "A", count: 100_000), "\u{0}.\u{0}.\u{0}",
        jwt("{}", claims()), jwt("[]", "[]"), jwt("{\"alg\":\"none\"}", claims()), jwt("{\"alg\":\"HS384\"}", claims()),
        jwt("{\"alg\":\"HS256\",\"typ\":\"other\"}", claims()), jwt("{\"alg\":\"HS256\",\"alg\":\"HS256\"}", claims()),
        jwt(hs256, "{}"), jwt(hs256, "[]"),
        jwt(hs256, claims(key: "AAAA")), jwt(hs256, claims(challenge: "")), jwt(hs256, claims(challenge: "not base64")),
        jwt(hs256, claims(challenge: String(repeating: "A", count: 132))), jwt(hs256, claims(activation: "\"x\"")),
        jwt(hs256, claims(activation: "1")),
        jwt(hs256, claims(activation: "null")),
    ]

    static let hs256 = "{\"alg\":\"HS256\"}"

    static func claims(
        key: String = "AAAAAAAAAAAAAAAAAAAAAA==", challenge: String = "AAAA", activation: String? = nil
    ) -> String {
        let more = activation.map { ",\"activationId\":\($0)" } ?? ""
        return "{\"applicationKey\":\"\(key)\",\"challenge\":\"\(challenge)\"\(more)}"
    }

    @Test("a request is read before it is believed, and its MAC covers every letter")
    func unsigned() throws {
        let read = try TemporaryKeyRequest(jwt: Self.jwt(Self.hs256, Self.claims())),
            secret = SecretBytes([UInt8](repeating: 1, count: 16))
        #expect(throws: PowerAuthRefusal.jwtSignatureMismatch) {
            try read.verify(applicationSecret: secret, transport: nil)
        }

        let good = TemporaryKeyRequest.jwt(
            applicationKey: read.applicationKey, activationID: nil, challenge: "AAAA", applicationSecret: secret,
            transport: nil)
        try TemporaryKeyRequest(jwt: good).verify(applicationSecret: secret, transport: nil)
        let parts = good.split(separator: ".").map(String.init)
        let moved = try TemporaryKeyRequest(
            jwt: "\(parts[0]).\(Base64URL.encode(Self.claims(challenge: "AAAB").utf8)).\(parts[2])")
        #expect(throws: PowerAuthRefusal.jwtSignatureMismatch) {
            try moved.verify(applicationSecret: secret, transport: nil)
        }
    }

    @Test("offline codes keep their lines whatever the texts say")
    func lines() throws {
        let pair = PowerAuthKeyPair.fresh(), nonce = [UInt8](repeating: 1, count: 16)
        let code = try OfflineCode(
            operationID: Self.id, title: "two\nlines", message: "back\\slash\r\nand\u{2028}\u{0}more", data: "A1*Nx",
            flags: .init(biometry: true, flip: true),
            totp: nil, nonce: nonce, signer: .registration
        )
        let text = try code.text(signedBy: pair), read = try #require(ScannedOfflineCode(text))

        #expect(read.title == "two\nlines")
        #expect(read.message == "back\\slash \nand  more")
        #expect(read.flags == "BX")
        #expect(read.keyType == "1")
        #expect(read.isSigned(by: pair.public65))
    }

    @Test(
        "offline data that apps cannot read, and lines that would be two",
        arguments: [
            ("", "A1", "12345678"), ("a\nb", "A1", "12345678"), ("id", "", "12345678"), ("id", "A1\n", "12345678"),
            ("id", "a1", "12345678"), ("id", "A", "12345678"),
            ("id", "A100", "12345678"), ("id", "A1x*", "12345678"), ("id", "Á1", "12345678"), ("id", "A1", "1234567"),
            ("id", "A1", "1234567a"), ("id", "A1", ""),
        ])
    func offlineRefusals(id: String, data: String, totp: String) {
        #expect(throws: PowerAuthRefusal.offlineDataMalformed) {
            try OfflineCode(
                operationID: id, title: "", message: "", data: data, flags: .init(), totp: totp,
                nonce: [UInt8](repeating: 1, count: 16), signer: .master)
        }
        #expect(throws: PowerAuthRefusal.offlineDataMalformed) {
            try OfflineCode(
                operationID: "id", title: "", message: "", data: "A1", flags: .init(), totp: nil, nonce: [1],
                signer: .master)
        }
    }

    @Test("status blobs of a wrong length, of nobody, and noise")
    func statusBlobs() throws {
        let transport = SecretBytes([UInt8](repeating: 5, count: 16)),
            hash = try StatusBlob.counterHash(.fresh(.system), transport: transport)
        let blob = StatusBlob(
            state: .blocked, counterByte: 255, failed: 5, maximumFailed: 5, lookAhead: 20, counterHash: hash)
        let sealed = try blob.seal(challenge: [1], nonce: [2], filler: [0, 0, 0, 0, 0], transport: transport)
        let read = try StatusBlob(opening: sealed, challenge: [1], nonce: [2], transport: transport)

        #expect(read == blob)
        #expect(StatusBlob.noise(.system).count == sealed.count)
        for bytes in [[], [1], sealed + sealed, Array(sealed.dropLast()), StatusBlob.noise(.system)] as [[UInt8]] {
            #expect(throws: PowerAuthRefusal.ciphertextMalformed) {
                try StatusBlob(opening: bytes, challenge: [1], nonce: [2], transport: transport)
            }
        }
        #expect(throws: PowerAuthRefusal.plaintextMalformed) {
            try blob.seal(challenge: [1], nonce: [2], filler: [], transport: transport)
        }
        for state in ActivationState.allCases { #expect(ActivationState(number: state.number) == state) }
        #expect(ActivationState(number: 0) == nil)
    }
}
