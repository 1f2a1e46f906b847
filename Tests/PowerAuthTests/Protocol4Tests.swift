import Base
import Foundation
import Testing

@testable import PowerAuth

@Suite("PowerAuth 4: headers, envelopes, temporary keys")
struct Protocol4Tests {
    static let key = Base64Text.encode([UInt8](repeating: 7, count: 16))
    static let id = "7a7af59e-c34e-410d-acfa-b3a9b6e33b4b"
    static let secret = SecretBytes([UInt8](repeating: 3, count: 32))
    static let application = SecretBytes([UInt8](repeating: 5, count: 16))

    static func refusal(_ body: () throws -> Void) -> PowerAuthRefusal? {
        do { try body() } catch { return error as? PowerAuthRefusal }
        return nil
    }

    static func context(_ label: EnvelopeLabel = .genericApplication) -> EnvelopeContext {
        EnvelopeContext(
            secret: secret, label: label, applicationKey: key, applicationSecret: application, temporaryKeyID: id)
    }

    static func activation(_ id: String) throws -> EnvelopeContext {
        try EnvelopeContext(
            secret: secret, label: .genericApplication, applicationKey: key, applicationSecret: application,
            temporaryKeyID: Self.id, activationID: id, sharedInfo2: secret)
    }

    @Test("the authorization header has its own names in protocol 4, and is read as it is written")
    func header() throws {
        let code = Base64Text.encode([UInt8](repeating: 1, count: 96))
        let header = SignatureHeader(
            version: .v40, activationID: Self.id, applicationKey: Self.key, nonce: Self.key,
            type: .possessionKnowledge, signature: code)
        let read = try SignatureHeader(parsing: header.text, versions: PowerAuthVersion.ofProtocol4)
        let old = header.text.replacing("pa_auth_code", with: "pa_signature")
        let long = header.text.replacing(code, with: code + "AAAA")

        #expect(read == header)
        #expect(header.text.contains("pa_auth_code_type=\"possession_knowledge\", pa_auth_code=\""))
        #expect(throws: PowerAuthRefusal.versionUnsupported) { try SignatureHeader(parsing: header.text) }
        for text in [old, long] {
            #expect(throws: PowerAuthRefusal.headerMalformed) {
                try SignatureHeader(parsing: text, versions: PowerAuthVersion.ofProtocol4)
            }
        }
    }

    @Test("a code is found ahead and by its own protocol's counter alone")
    func codes() throws {
        let keys = try ActivationSecret(Self.secret).keys(.possessionKnowledge)
        let counter = HashCounter.fresh(.system, .v40), data = Array("data".utf8)
        let code = FactorSignature.make(.v40, keys: keys, counter: counter.next(), data: data)
        let found = FactorSignature.find(code, .v40, keys: keys, counter: counter, lookAhead: 20, data: data)
        let old = HashCounter.fresh(.system)
        let mixed = FactorSignature.make(.v40, keys: keys, counter: old, data: data)

        #expect(counter.isProtocol4 && !old.isProtocol4)
        #expect(found == FactorSignature.Match(steps: 2, next: counter.next().next()))
        #expect(FactorSignature.find(mixed, .v40, keys: keys, counter: old, lookAhead: 1, data: data) == nil)
        #expect(FactorSignature.find(code, .v33, keys: keys, counter: counter, lookAhead: 2, data: data) == nil)
        #expect(throws: PowerAuthRefusal.keyMalformed) { try HashCounter([UInt8](repeating: 0, count: 24)) }
    }

    @Test("whatever is changed in an envelope, it does not open")
    func envelopes() throws {
        let nonce = Array(0..<24) as [UInt8], context = Self.context()
        let request = try context.request(Array("asked".utf8), temporaryKeyID: Self.id, nonce: nonce, timestamp: 7)
        func altered(
            _ data: [UInt8]? = nil, nonce other: [UInt8]? = nil, timestamp: Int64 = 7
        ) -> SealedRequest {
            SealedRequest(
                temporaryKeyID: Self.id, encryptedData: data ?? request.encryptedData, nonce: other ?? nonce,
                timestamp: timestamp)
        }
        var flipped = request.encryptedData, tagged = request.encryptedData
        flipped[flipped.count - 1] ^= 1
        tagged[12] ^= 1
        let response = try context.seal([], answering: request, timestamp: 8)
        let empty = try context.open(response, of: request)

        for other in [
            altered(flipped), altered(tagged), altered(nonce: Array(nonce.dropLast()) + [99]), altered(timestamp: 8),
        ] {
            #expect(Self.refusal { _ = try context.open(other) } == .macMismatch)
        }
        for other in try [Self.context(.activation), Self.activation(Self.id)] {
            #expect(Self.refusal { _ = try other.open(request) } == .macMismatch)
        }
        #expect(Self.refusal { _ = try context.open(altered(nonce: [1])) } == .envelopeMalformed)
        #expect(Self.refusal { _ = try context.open(altered(nonce: Array(nonce.reversed()))) } == .envelopeMalformed)
        #expect(empty.isEmpty)
        #expect(
            Self.refusal {
                _ = try context.open(
                    SealedResponse(encryptedData: request.encryptedData, timestamp: 7), of: request)
            } == .envelopeMalformed)
    }

    @Test("bodies that are no envelope are refused")
    func bodies() throws {
        let nonce = Array(0..<24) as [UInt8]
        let request = try Self.context().request([1], temporaryKeyID: Self.id, nonce: nonce, timestamp: 7)
        let same = try Self.context().request(
            [1], temporaryKeyID: Self.id, nonce: Array(nonce.prefix(12) + nonce.prefix(12)), timestamp: 7)
        let good = String(decoding: request.json.bytes, as: UTF8.self)
        let read = try SealedRequest(body: Array(good.utf8))
        let bad = [
            "", "[]", "{}", good.replacing(Self.id, with: "x"),
            good.replacing("\"timestamp\":7", with: "\"timestamp\":-1"),
            good.replacing(Base64Text.encode(nonce), with: Base64Text.encode(nonce.dropLast())),
            good.replacing(Base64Text.encode(request.encryptedData), with: Base64Text.encode(nonce)),
            good.replacing(Base64Text.encode(request.encryptedData), with: "?"),
            String(decoding: same.json.bytes, as: UTF8.self),
        ]

        #expect(read == request)
        for body in bad {
            #expect(throws: PowerAuthRefusal.envelopeMalformed, "\(body)") { try SealedRequest(body: Array(body.utf8)) }
        }
        #expect(throws: PowerAuthRefusal.envelopeMalformed) { try SealedResponse(json: ["timestamp": 7]) }
        #expect(throws: PowerAuthRefusal.timestampOld) { try request.checkTime(Date(timeIntervalSince1970: 600)) }
    }

    @Test("temporary keys are asked for and given in every suite", arguments: SharedSecretAlgorithm.allCases)
    func temporaryKeys(algorithm: SharedSecretAlgorithm) throws {
        let offer = try SharedSecretOffer.fresh(algorithm), pair = try HybridKeyPair.fresh(algorithm)
        let jwt = try TemporarySecretRequest.jwt(
            applicationKey: Self.key, activationID: Self.id, challenge: Self.key, sharedSecret: offer.request,
            applicationSecret: Self.application, temporaryKeyMAC: Self.secret)
        let request = try TemporarySecretRequest(jwt: jwt)
        let response = try TemporarySecretResponse(
            keyID: Self.id, answering: request, sharedSecret: request.sharedSecret.answer(.system).response,
            issued: 1_000, expires: 2_000)
        let jws = try response.jws(signedBy: pair)
        let read = try TemporarySecretResponse(jws: jws, signedBy: pair.publicKey)
        let again = try HybridKeyPair(algorithm, privateBytes: pair.privateBytes)
        let other = try HybridKeyPair.fresh(algorithm).publicKey
        // One signature that holds is not enough where a suite has two.
        let half = try HybridPublicKey(algorithm, ecdsa: pair.publicKey.ecdsa, mldsa: other.mldsa)

        try request.verify(applicationSecret: Self.application, temporaryKeyMAC: Self.secret)
        #expect(read == response)
        #expect(again.publicKey == pair.publicKey)
        #expect(request.activationID == Self.id)
        for signer in algorithm.isHybrid ? [other, half] : [other] {
            #expect(
                Self.refusal { _ = try TemporarySecretResponse(jws: jws, signedBy: signer) } == .jwtSignatureMismatch)
        }
        for key in [nil, Self.application] {
            #expect(
                Self.refusal { try request.verify(applicationSecret: Self.application, temporaryKeyMAC: key) }
                    == .jwtSignatureMismatch)
        }
        #expect(Self.refusal { _ = try HybridKeyPair(algorithm, privateBytes: Self.application) } == .keyMalformed)
    }

    @Test(
        "what is no temporary key is refused",
        arguments: ["", "{}", "a.b.c", "{\"payload\":\"e30\",\"signatures\":[]}"])
    func malformedKeys(text: String) throws {
        let signer = try HybridKeyPair.fresh(.p384).publicKey

        #expect(Self.refusal { _ = try TemporarySecretResponse(jws: text, signedBy: signer) } == .jwtMalformed)
        #expect(Self.refusal { _ = try TemporarySecretRequest(jwt: text) } == .jwtMalformed)
    }

    @Test("an activation that is null is none here, and malformed in protocol 3; one that is no text is never taken")
    func nullActivation() throws {
        let shared = try SharedSecretOffer.fresh(.p384).request.json
        func jwt(_ algorithm: String, _ activation: JSONValue) -> String {
            let claims: JSONValue = [
                "applicationKey": .string(Self.key), "activationId": activation, "challenge": .string(Self.key),
                "sharedSecretRequest": shared,
            ]
            return CompactJWT.signedText(header: ["alg": .string(algorithm)], claims: claims) + ".AAAA"
        }

        #expect(try TemporarySecretRequest(jwt: jwt("HS384", .null)).activationID == nil)
        #expect(Self.refusal { _ = try TemporaryKeyRequest(jwt: jwt("HS256", .null)) } == .jwtMalformed)
        for wrong in ["", "not an id", 7, true, []] as [JSONValue] {
            #expect(Self.refusal { _ = try TemporarySecretRequest(jwt: jwt("HS384", wrong)) } == .jwtMalformed)
        }
    }

    @Test("a status tells its fields to who has its key")
    func status() throws {
        let keys = try ActivationSecret(Self.secret), hash = try HashCounter.fresh(.system, .v40).mac(keys.counterMAC)
        let status = try ActivationStatus(
            state: .active, flags: [.biometry, .upgradeConfirmation], counterByte: 255, failed: 1, maximumFailed: 5,
            lookAhead: 20, counterHash: hash, currentVersion: 3)
        let bytes = try status.bytes(filler: [1, 2, 3, 4], key: keys.statusMAC)
        let read = try ActivationStatus(bytes, key: keys.statusMAC)
        let head: [UInt8] = [0xDE, 0xC0, 0xDE, 0xD4, 3, 3, 4, 0b1010, 1, 2, 3, 4, 255, 1, 5, 20]

        #expect(read == status)
        #expect(Array(bytes.prefix(16)) == head)
        #expect(bytes.count == 80)
        #expect(Self.refusal { _ = try ActivationStatus(bytes, key: keys.counterMAC) } == .macMismatch)
        #expect(Self.refusal { _ = try ActivationStatus([1], key: keys.statusMAC) } == .plaintextMalformed)
        #expect(Self.refusal { _ = try status.bytes(filler: [], key: keys.statusMAC) } == .plaintextMalformed)
    }

    @Test(
        "key exchanges, fingerprints, codes and configurations of every suite",
        arguments: SharedSecretAlgorithm.allCases)
    func activations(algorithm: SharedSecretAlgorithm) throws {
        let device = try HybridKeyPair.fresh(algorithm).publicKey, master = try HybridKeyPair.fresh(algorithm)
        let request = try KeyExchangeRequest(
            sharedSecret: SharedSecretOffer.fresh(algorithm).request, deviceKeys: device, enablesBiometry: true)
        let read = try KeyExchangeRequest(json: .object(request.members))
        let response = try KeyExchangeResponse(
            sharedSecret: request.sharedSecret.answer(.system).response, serverKeys: master.publicKey,
            counter: .fresh(.system, .v40))
        let back = try KeyExchangeResponse(json: .object(response.members), algorithm)
        let print = try Fingerprint.of(device: device, activationID: Self.id, server: master.publicKey)
        let code = ActivationCode.fresh(.system), signature = try code.signature(by: master)
        let der = try #require(Base64Text.decode(signature))
        let configuration = try SDKConfiguration(
            applicationKey: [UInt8](repeating: 1, count: 16), applicationSecret: Self.application,
            masterPublicKey: PowerAuthKeyPair.fresh().public65, hybridKeys: [master.publicKey])
        let scanned = try SDKConfiguration(text: configuration.text)
        let suite = scanned.hybridKeys.last

        #expect(read == request)
        #expect(back == response)
        #expect(print.utf8.count == 8)
        #expect(master.publicKey.isSigned(Array(code.text.utf8), der: der))
        #expect(!device.isSigned(Array(code.text.utf8), der: der))
        #expect(suite == master.publicKey)
        #expect(Self.refusal { _ = try KeyExchangeRequest(json: [:]) } == .plaintextMalformed)
        #expect(Self.refusal { _ = try HybridPublicKey(algorithm, json: ["ecdsa": "AAAA"]) } == .publicKeyMalformed)
        #expect(
            Self.refusal {
                _ = try HybridPublicKey(
                    algorithm, ecdsa: device.ecdsa, mldsa: algorithm.isHybrid ? nil : device.ecdsa)
            } == .publicKeyMalformed)
    }

    @Test("an offline code for one registration has a MAC")
    func offline() throws {
        let code = try OfflineCode(
            operationID: Self.id, title: "t", message: "m", data: "A1*R1", flags: .init(), totp: nil,
            nonce: [UInt8](repeating: 2, count: 16), signer: .personalized)
        let key = try ActivationSecret(Self.secret).personalizedData, text = try code.text(personalizedBy: key)
        let mac = try #require(Base64Text.decode(String(text.dropFirst(code.signedText.count)), count: 32))
        let expected = try KMAC256.mac(key: key, Array(code.signedText.utf8), .offlineCode)

        #expect(code.signedText.hasSuffix("\n2"))
        #expect(mac == expected)
    }
}
