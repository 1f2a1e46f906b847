import Base
import Foundation
import ProtocolTestSupport
import Testing

@testable import PowerAuth

/// What each row stands for, and which vectors are superseded, says protocols/powerauth4.md.
@Suite("PowerAuth 4 vectors", .enabled(if: PowerAuthVectors.arePresent, PowerAuthVectors.whyNot))
struct Protocol4VectorTests {
    @Test("no file of protocol 4 is passed over")
    func files() throws {
        let folder = try #require(PowerAuthVectors.folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("v4-") }

        #expect(
            names.sorted() == [
                "v4-auth-code.json", "v4-counter.json", "v4-e2ee-activation.json", "v4-e2ee-application.json",
                "v4-ecdhe-p384.json", "v4-token-digest.json",
            ])
    }

    @Test("the counter is hashed with SHA3-256")
    func counters() throws {
        for row in try PowerAuthVectors.rows("v4-counter", count: 10) {
            var counter = try HashCounter(row.raw("ctrData[0]"))
            for index in 1...20 {
                let expected = try row.raw("ctrData[\(index)]")
                counter = counter.next()

                #expect(counter.bytes == expected)
            }
        }
    }

    @Test("token digests")
    func tokens() throws {
        for row in try PowerAuthVectors.rows("v4-token-digest", count: 100) {
            let time = String(decoding: try row.raw("timestamp"), as: UTF8.self)
            let timestamp = try #require(Int64(time)), expected = try row.raw("tokenDigest")
            let header = try TokenHeader(
                version: .v40, tokenID: "", digest: expected, nonce: row.raw("nonce"), timestamp: timestamp)
            let secret = try row.secret("tokenSecret")

            #expect(TokenDigest.verify(header, secret: secret))
            #expect(!TokenDigest.verify(header, secret: SecretBytes([UInt8](repeating: 0, count: 32))))
        }
    }

    @Test("authentication codes of one to three factors, online and offline")
    func codes() throws {
        for row in try PowerAuthVectors.rows("v4-auth-code", count: 1) {
            let keys = try ["key1", "key2", "key3"].map { try row.secret($0) }, data = try row.raw("inputData")
            let counter = try HashCounter(row.raw("ctrData"))
            let online = try row.raw("authCodeOnline"), offline = try row.text("authCodeOffline")
            for count in 1...3 {
                let some = Array(keys.prefix(count)), text = Base64Text.encode(Array(online.prefix(32 * count)))
                let digits = offline.split(separator: "-").prefix(count).joined(separator: "-")
                let found = FactorSignature.find(text, .v40, keys: some, counter: counter, lookAhead: 1, data: data)

                #expect(FactorSignature.make(.v40, keys: some, counter: counter, data: data) == text)
                #expect(FactorSignature.decimal(.v40, keys: some, counter: counter, data: data) == digits)
                #expect(found == FactorSignature.Match(steps: 1, next: counter.next()))
            }
        }
    }

    /// With the derivation of keys that the vectors have: the label in the customization string.
    static func keys(_ row: VectorRow, _ context: [UInt8]) throws -> AEAD.Keys {
        let key = try row.secret("envelopeKey")
        let encryption = try KMAC256.mac(key: key, context, custom: Array("PA4KDF:aead/enc".utf8), length: 32)
        let mac = try KMAC256.mac(key: key, context, custom: Array("PA4KDF:aead/mac".utf8), length: 32)
        return AEAD.Keys(encryption: SecretBytes(encryption), mac: SecretBytes(mac))
    }

    @Test(
        "envelopes of both scopes: their data, nonces and order are today's, their derivation of keys is superseded",
        arguments: ["application", "activation"])
    func envelopes(scope: String) throws {
        for row in try PowerAuthVectors.rows("v4-e2ee-\(scope)", count: 25) {
            let context = try Self.context(row, scope), asked = try row.text("requestData")
            let request = try SealedRequest(
                temporaryKeyID: row.text("temporaryKeyId"), encryptedData: row.raw("encryptedDataRequest"),
                nonce: row.raw("nonce"), timestamp: Int64(row.number("timestampRequest")))
            let read = try SealedRequest(json: request.json)
            let keys = try Self.keys(row, context.context(request.nonce))
            let opened = try AEAD.open(
                request.encryptedData, keys: keys,
                associated: context.associatedData(request.nonce, request.timestamp))
            let answer = try row.text("responseData"), expected = try row.raw("encryptedDataResponse")
            let sealed = try AEAD.seal(
                Array(answer.utf8), keys: keys, nonce: Array(request.nonce.suffix(12)),
                associated: context.associatedData(request.nonce, Int64(row.number("timestampResponse"))))

            #expect(read == request)
            #expect(opened == Array(asked.utf8))
            #expect(sealed == expected)
            #expect(throws: PowerAuthRefusal.macMismatch) { try context.open(request) }
        }
    }

    @Test("the vectors of ECDHE are superseded: today's suites have a salt, which those have not")
    func superseded() throws {
        for row in try PowerAuthVectors.rows("v4-ecdhe-p384", count: 20) {
            let salt = row.json["salt"]
            let server = try row.raw("ecServerPublicKey")

            #expect(salt == nil)
            #expect(throws: Never.self) { try EllipticKEM.check(server) }
        }
    }

    static func context(_ row: VectorRow, _ scope: String) throws -> EnvelopeContext {
        let secret = try row.secret("envelopeKey"), application = try row.secret("applicationSecret")
        guard scope == "activation" else {
            return try EnvelopeContext(
                secret: secret, label: .genericApplication, applicationKey: row.text("applicationKey"),
                applicationSecret: application, temporaryKeyID: row.text("temporaryKeyId"))
        }
        return try EnvelopeContext(
            secret: secret, label: .genericActivation, applicationKey: row.text("applicationKey"),
            applicationSecret: application, temporaryKeyID: row.text("temporaryKeyId"),
            activationID: row.text("activationId"), sharedInfo2: row.secret("sharedInfo2Key"))
    }
}
