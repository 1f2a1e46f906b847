import Base
import ProtocolTestSupport
import Testing

@testable import PowerAuth

@Suite("PowerAuth vectors: envelopes", .enabled(if: PowerAuthVectors.arePresent, PowerAuthVectors.whyNot))
struct EnvelopeVectorTests {
    @Test(
        "requests are opened and responses sealed, in both scopes and all versions",
        arguments: PowerAuthVersion.allCases.filter { !$0.isProtocol4 }, ["application", "activation"])
    func endToEnd(version: PowerAuthVersion, scope: String) throws {
        for row in try PowerAuthVectors.rows("e2ee-\(scope)-v\(version.rawValue.filter { $0 != "." })", count: 25) {
            let context = try Self.context(row, version, scope), ephemeral = try row.raw("requestEphemeralPublicKey")
            let ecies = try ECIES(context: context, keys: EnvelopeKeys(envelopeKey: row.secret("envelopeKey")))
            // 3.0 has no nonce; 3.1 gives the request's back; before 3.2 nobody tells the time.
            let nonce = try version == .v30 ? [] : row.raw("requestNonce")
            let timed = version >= .v32
            let request = try SealedData(
                encryptedData: row.raw("encryptedDataRequest"), mac: row.raw("requestMac"), nonce: nonce,
                timestamp: timed ? Int64(row.number("timestampRequest")) : 0
            )
            let base = try row.raw("sharedInfo2Base"), question = try row.text("requestData"),
                answer = try row.text("responseData")
            let plaintext = try ecies.open(Envelope(temporaryKeyID: "", ephemeralPublicKey: ephemeral, sealed: request))
            let asked = try ecies.seal(
                request: Array(question.utf8), nonce: nonce, timestamp: request.timestamp, ephemeral: ephemeral)
            let response = try ecies.seal(
                response: Array(answer.utf8), nonce: timed ? row.raw("responseNonce") : nonce,
                timestamp: timed ? Int64(row.number("timestampResponse")) : 0
            )
            let expected = try (data: row.raw("encryptedDataResponse"), mac: row.raw("responseMac"))
            let read = try ecies.open(response)

            #expect(context.base == base)
            #expect(plaintext == Array(question.utf8))
            #expect(asked == request)
            #expect(response.encryptedData == expected.data)
            #expect(response.mac == expected.mac)
            #expect(read == Array(answer.utf8))
        }
    }

    static func context(_ row: VectorRow, _ version: PowerAuthVersion, _ scope: String) throws -> ECIESContext {
        let key = try row.text("applicationKey"), secret = try row.text("applicationSecret"),
            temporary = try version == .v33 ? row.text("temporaryKeyId") : nil
        guard scope == "activation" else {
            return .application(key: key, secret: secret, temporaryKeyID: temporary, version: version)
        }
        return try .activation(
            id: row.text("activationId"), transport: row.secret("transportKey"), key: key, secret: secret,
            temporaryKeyID: temporary, version: version
        )
    }

    @Test("the primitive, from the server's private key on", arguments: [PowerAuthVersion.v30, .v31])
    func primitive(version: PowerAuthVersion) throws {
        let name = "ecies-raw-v\(version.rawValue.filter { $0 != "." })"
        let server = try PowerAuthVectors.file(name).pair("serverPrivateKey")
        for row in try PowerAuthVectors.rows(name, count: 6) {
            let ephemeral = try row.raw("ephemeralPublicKey"), nonce = try version == .v30 ? [] : row.raw("nonce")
            let shared = try server.sharedSecret(with: ephemeral)
            let keys = try EnvelopeKeys(
                shared: shared, version: version, info1: row.raw("sharedInfo1"), ephemeral: ephemeral)
            let ecies = ECIES(
                context: ECIESContext(version: version, base: try row.raw("sharedInfo2"), associatedData: []),
                keys: keys)
            let sealed = try SealedData(
                encryptedData: row.raw("requestEncryptedData"), mac: row.raw("requestMac"), nonce: nonce, timestamp: 0)
            let plaintext = try ecies.open(Envelope(temporaryKeyID: "", ephemeralPublicKey: ephemeral, sealed: sealed))
            let response = try ecies.seal(response: row.raw("response"), nonce: nonce, timestamp: 0)
            let wanted = try (
                request: row.raw("request"), data: row.raw("responseEncryptedData"), mac: row.raw("responseMac"),
                key: row.raw("envelopeKey")
            )
            let derived = keys.encryption.expose { $0 } + keys.mac.expose { $0 } + keys.iv.expose { $0 }

            #expect(plaintext == wanted.request)
            #expect(response.encryptedData == wanted.data)
            #expect(response.mac == wanted.mac)
            #expect(derived == wanted.key)
        }
    }

    @Test(
        "whatever is changed, the MAC refuses before anything is decrypted", arguments: ["application", "activation"])
    func changed(scope: String) throws {
        let rows = try PowerAuthVectors.rows("e2ee-\(scope)-v33", count: 25), row = try #require(rows.first)
        let context = try Self.context(row, .v33, scope),
            keys = try EnvelopeKeys(envelopeKey: row.secret("envelopeKey")), ecies = ECIES(context: context, keys: keys)
        let point = try row.raw("requestEphemeralPublicKey"), data = try row.raw("encryptedDataRequest"),
            mac = try row.raw("requestMac")
        let nonce = try row.raw("requestNonce"), time = Int64(try row.number("timestampRequest"))
        func flipped(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.dropLast()) + [bytes[bytes.count - 1] ^ 1] }
        func envelope(_ point: [UInt8], _ data: [UInt8], _ mac: [UInt8], _ nonce: [UInt8], _ time: Int64) -> Envelope {
            Envelope(
                temporaryKeyID: "", ephemeralPublicKey: point,
                sealed: SealedData(encryptedData: data, mac: mac, nonce: nonce, timestamp: time))
        }
        let unbound = ECIES(
            context: ECIESContext(version: .v33, base: context.base, associatedData: flipped(context.associatedData)),
            keys: keys)
        let others: [(Envelope, ECIES)] = [
            (envelope(flipped(point), data, mac, nonce, time), ecies),
            (envelope(point, flipped(data), mac, nonce, time), ecies),
            (envelope(point, data, flipped(mac), nonce, time), ecies),
            (envelope(point, data, mac, flipped(nonce), time), ecies),
            (envelope(point, data, mac, nonce, time + 1), ecies), (envelope(point, data, mac, nonce, time), unbound),
        ]
        for (envelope, ecies) in others {
            #expect(throws: PowerAuthRefusal.macMismatch) { try ecies.open(envelope) }
        }
        let response = SealedData(encryptedData: data, mac: mac, nonce: nonce, timestamp: time)
        // A request is no response to itself.
        #expect(throws: PowerAuthRefusal.macMismatch) { try ecies.open(response) }
    }

    @Test(
        "where a registration has protocol 3, headers of protocol 4 are refused, and the other way round",
        arguments: ["v4-e2ee-application", "v4-e2ee-activation"])
    func protocolFour(file: String) throws {
        for row in try PowerAuthVectors.rows(file, count: 25) {
            let version = try row.text("protocolVersion"), key = try row.text("applicationKey")
            let header = "PowerAuth version=\"\(version)\", application_key=\"\(key)\""

            let parsed = try EncryptionHeader(parsing: header, versions: PowerAuthVersion.ofProtocol4)

            #expect(parsed.version == .v40)
            #expect(throws: PowerAuthRefusal.versionUnsupported) { try EncryptionHeader(parsing: header) }
            #expect(throws: PowerAuthRefusal.versionUnsupported) {
                try EncryptionHeader(
                    parsing: header.replacing("4.0", with: "3.3"), versions: PowerAuthVersion.ofProtocol4)
            }
        }
    }
}
