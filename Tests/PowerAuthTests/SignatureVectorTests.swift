import Base
import ProtocolTestSupport
import Testing

@testable import PowerAuth

@Suite("PowerAuth vectors: signatures", .enabled(if: PowerAuthVectors.arePresent, PowerAuthVectors.whyNot))
struct SignatureVectorTests {
    struct Case {
        let keys: [SecretBytes]
        let counter: HashCounter
        let data: [UInt8]
        let expected: String

        init(_ row: VectorRow) throws {
            let input = try row.part("input")
            let names = [
                "possession": "signaturePossessionKey", "knowledge": "signatureKnowledgeKey",
                "biometry": "signatureBiometryKey",
            ]
            keys = try input.text("signatureType").split(separator: "_").map { factor -> SecretBytes in
                let name = try #require(names[String(factor)])
                return try input.secret(name)
            }
            counter = try HashCounter(input.raw("counterData"))
            data = try input.raw("data")
            expected = try row.part("output").text("signature")
        }
    }

    @Test(
        "online signatures are made and found, with one to three factors",
        arguments: [
            ("signature-online-v30-decimal", PowerAuthVersion.v30),
            ("signature-online-v31-base64", PowerAuthVersion.v31),
            ("signature-online-v31-base64", PowerAuthVersion.v33),
        ])
    func online(file: String, version: PowerAuthVersion) throws {
        for row in try PowerAuthVectors.rows(file, count: 300) {
            let one = try Case(row)
            let made = FactorSignature.make(version, keys: one.keys, counter: one.counter, data: one.data)
            let found = FactorSignature.find(
                one.expected, version, keys: one.keys, counter: one.counter, lookAhead: 1, data: one.data)
            let late = FactorSignature.find(
                one.expected, version, keys: one.keys, counter: one.counter.next(), lookAhead: 3, data: one.data)
            let other = FactorSignature.find(
                one.expected, version, keys: one.keys, counter: one.counter, lookAhead: 3, data: one.data + [0])

            #expect(made == one.expected)
            #expect(found == FactorSignature.Match(steps: 1, next: one.counter.next()))
            #expect(late == nil)
            #expect(other == nil)
        }
    }

    @Test("offline signatures of four to eight digits")
    func offline() throws {
        for row in try PowerAuthVectors.rows("signature-offline", count: 200) {
            let one = try Case(row), digits = try row.part("input").number("signatureComponentLength")
            let made = FactorSignature.decimal(keys: one.keys, counter: one.counter, data: one.data, digits: digits)

            #expect(made == one.expected)
        }
    }

    @Test("base strings")
    func baseStrings() throws {
        for row in try PowerAuthVectors.rows("signature-base-string", count: 8) {
            func given(_ name: String) -> String { row.json[name]?.string ?? "" }
            let method = given("method").isEmpty ? "GET" : given("method"), expected = try row.text("baseString")
            let made = FactorSignature.baseString(
                method: method, uriID: given("uriId"), nonce: given("nonce"), body: Array(given("body").utf8))

            #expect(String(decoding: made, as: UTF8.self) == expected)
        }
    }

    @Test("IVs of status blobs")
    func statusIVs() throws {
        for row in try PowerAuthVectors.rows("status-blob-iv", count: 32) {
            let input = try row.part("input"), expected = try row.part("output").raw("iv")
            let iv = try StatusBlob.initializationVector(
                challenge: input.raw("challenge"), nonce: input.raw("nonce"), transport: input.secret("transportKey"))

            #expect(iv == expected)
        }
    }

    @Test("status blobs are opened, made again, and tell how far the phone is")
    func statusBlobs() throws {
        for row in try PowerAuthVectors.rows("status-blob", count: 8) {
            let input = try row.part("input"), output = try row.part("output"),
                transport = try input.secret("transportKey")
            let sealed = try input.raw("encryptedStatusBlob"), challenge = try input.raw("challenge"),
                nonce = try input.raw("nonce")
            let blob = try StatusBlob(opening: sealed, challenge: challenge, nonce: nonce, transport: transport)
            let number = try output.number("activationStatus"),
                state = try #require(ActivationState(number: UInt8(number)))
            let expected = try StatusBlob(
                state: state, counterByte: UInt8(output.number("ctrByte")),
                failed: UInt8(output.number("failedAttempts")),
                maximumFailed: UInt8(output.number("maxFailedAttempts")),
                lookAhead: UInt8(output.number("ctrLookAhead")), counterHash: output.raw("ctrDataHash"),
                currentVersion: UInt8(output.number("currentVersion")),
                upgradeVersion: UInt8(output.number("upgradeVersion"))
            )
            var counter = try HashCounter(input.raw("ctrData"))
            for _ in 0..<(try output.number("counterDistance")) { counter = counter.next() }
            let hash = try StatusBlob.counterHash(counter, transport: transport)
            let again = try blob.seal(
                challenge: challenge, nonce: nonce, filler: [1, 2, 3, 4, 5], transport: transport)
            let reopened = try StatusBlob(opening: again, challenge: challenge, nonce: nonce, transport: transport)

            #expect(blob == expected)
            #expect(hash == blob.counterHash)
            #expect(reopened == expected)
            #expect(again.count == 32)
            #expect(throws: PowerAuthRefusal.ciphertextMalformed) {
                try StatusBlob(opening: sealed, challenge: nonce, nonce: challenge, transport: transport)
            }
        }
    }
}
