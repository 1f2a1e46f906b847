import Base
import Foundation
import ProtocolTestSupport
import Testing

@testable import PowerAuth

@Suite("PowerAuth vectors: keys", .enabled(if: PowerAuthVectors.arePresent, PowerAuthVectors.whyNot))
struct KeyVectorTests {
    @Test("no file of the folder is passed over")
    func files() throws {
        let folder = try #require(PowerAuthVectors.folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
            .map { String($0.dropLast(5)) }

        // Those of protocol 4 are `Protocol4VectorTests`; what phones decode (operation-json-samples, push-payload) is
        // tested where it is written.
        let later = ["operation-json-samples", "push-payload"]
        #expect(
            names.filter { !$0.hasPrefix("v4-") && !later.contains($0) }.sorted() == [
                "activation-code", "activation-code-signature", "activation-fingerprint-v3", "derived-keys",
                "e2ee-activation-v30", "e2ee-activation-v31",
                "e2ee-activation-v32", "e2ee-activation-v33", "e2ee-application-v30", "e2ee-application-v31",
                "e2ee-application-v32", "e2ee-application-v33",
                "ecies-raw-v30", "ecies-raw-v31", "kdf-x963-sha256", "master-secret", "offline-qr", "p256-points",
                "pac", "sdk-config", "self-v33-flow",
                "signature-base-string", "signature-offline", "signature-online-v30-decimal",
                "signature-online-v31-base64", "status-blob", "status-blob-iv", "totp",
            ])
    }

    @Test("X9.63 derives what NIST has")
    func x963() throws {
        for row in try PowerAuthVectors.rows("kdf-x963-sha256", count: 20) {
            let expected = try row.hexadecimal("key")
            let key = KeyDerivation.x963(
                SecretBytes(try row.hexadecimal("secret")), info: try row.hexadecimal("sharedInfo"),
                length: expected.count)

            #expect(key == SecretBytes(expected))
        }
    }

    @Test("both sides agree on the master secret")
    func masterSecret() throws {
        for row in try PowerAuthVectors.rows("master-secret", count: 20) {
            let input = try row.part("input"), expected = try row.part("output").secret("masterSecretKey")
            let device = try input.pair("devicePrivateKey"), server = try input.pair("serverPrivateKey")
            let fromServer = try server.sharedSecret(with: input.raw("devicePublicKey")).expose {
                KeyDerivation.fold($0)
            }
            let fromDevice = try device.sharedSecret(with: input.raw("serverPublicKey")).expose {
                KeyDerivation.fold($0)
            }
            let devicePublic = try input.raw("devicePublicKey")

            #expect(SecretBytes(fromServer) == expected)
            #expect(SecretBytes(fromDevice) == expected)
            #expect(device.public65 == devicePublic)
        }
    }

    @Test("factor, transport and vault keys come from the master secret")
    func derivedKeys() throws {
        for row in try PowerAuthVectors.rows("derived-keys", count: 20) {
            let keys = try ActivationKeys(masterSecret: row.part("input").secret("masterSecretKey")),
                expected = try row.part("output")
            let wanted = try [
                expected.secret("signaturePossessionKey"), expected.secret("signatureKnowledgeKey"),
                expected.secret("signatureBiometryKey"),
                expected.secret("transportKey"), expected.secret("vaultEncryptionKey"),
            ]

            #expect([keys.possession, keys.knowledge, keys.biometry, keys.transport, keys.vault] == wanted)
        }
    }

    @Test("fingerprints, short coordinates included")
    func fingerprints() throws {
        for row in try PowerAuthVectors.rows("activation-fingerprint-v3", count: 100) {
            let input = try row.part("input"), output = try row.part("output")
            let device = try input.raw("devicePublicKey"), server = try input.raw("serverPublicKey"),
                expected = try output.text("fingerprint")
            let fromLong = try Fingerprint.of(device: device, activationID: output.text("activationId"), server: server)
            let fromShort = try Fingerprint.of(
                device: PublicPoint.compressed(device), activationID: output.text("activationId"), server: server)

            #expect(fromLong == expected)
            #expect(fromShort == expected)
        }
    }

    @Test("points of the curve are taken in both forms, everything else is refused")
    func points() throws {
        for row in try PowerAuthVectors.rows("p256-points", count: 10) {
            let bytes = try row.raw("publicKey")
            guard try row.flag("valid") else {
                #expect(throws: PowerAuthRefusal.publicKeyMalformed) { try PublicPoint.check(bytes) }
                continue
            }
            let long = try PublicPoint.uncompressed(bytes), short = try PublicPoint.compressed(bytes)
            let expected = try (long: row.raw("uncompressed"), short: row.raw("compressed"))
            let back = try PublicPoint.uncompressed(expected.short)

            #expect(long == expected.long)
            #expect(short == expected.short)
            #expect(back == expected.long)
        }
    }
}
