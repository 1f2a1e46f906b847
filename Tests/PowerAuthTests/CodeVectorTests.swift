import Base
import Foundation
import ProtocolTestSupport
import Testing

@testable import PowerAuth

@Suite(
    "PowerAuth vectors: codes and configurations", .enabled(if: PowerAuthVectors.arePresent, PowerAuthVectors.whyNot))
struct CodeVectorTests {
    @Test("activation codes are read or refused, and made from their bytes")
    func activationCodes() throws {
        for row in try PowerAuthVectors.rows("activation-code", "codes", count: 31) {
            let text = try row.text("code")
            guard try row.flag("valid") else {
                #expect(throws: PowerAuthRefusal.activationCodeMalformed, "\(text)") { try ActivationCode(text) }
                continue
            }
            let code = try ActivationCode(text), raw = try row.hexadecimal("rawHex")

            #expect(ActivationCode(random: Array(raw.prefix(10))) == code, "\(text)")
        }
    }

    @Test("QR codes are written as apps read them; none of what apps refuse is a code")
    func activationQRCodes() throws {
        for row in try PowerAuthVectors.rows("activation-code", "qr", count: 14) {
            let text = try row.text("text")
            guard try row.flag("valid") else {
                #expect(throws: PowerAuthRefusal.activationCodeMalformed, "\(text)") { try ActivationCode(text) }
                continue
            }
            let code = try ActivationCode(String(text.prefix(23)))
            let shown = row.json["signature"]?.string.map { code.qrText(signature: $0) } ?? code.text

            #expect(shown == text)
        }
    }

    @Test("CRC-16")
    func checksums() throws {
        for row in try PowerAuthVectors.rows("activation-code", "crc16", count: 9) {
            let expected = try row.hexadecimal("crc16"), text = try row.text("text")

            #expect(BigEndian.bytes(CRC16.of(Array(text.utf8))) == expected)
        }
    }

    @Test("signatures of activation codes, theirs and ours")
    func activationSignatures() throws {
        for row in try PowerAuthVectors.rows("activation-code-signature", count: 20) {
            let input = try row.part("input"), master = try input.pair("masterPrivateKey"),
                key = try input.raw("masterPublicKey")
            let short = try input.text("activationIdShort"), otp = try input.text("activationOtp")
            // The vectors are older than the CRC in a code, so theirs are no codes to `ActivationCode`.
            let bytes = Array("\(short)-\(otp)".utf8), theirs = try row.part("output").raw("activationSignature"),
                ours = try master.sign(bytes)

            #expect(PublicPoint.isSigned(bytes, der: theirs, by: key))
            #expect(PublicPoint.isSigned(bytes, der: ours, by: key))
            #expect(!PublicPoint.isSigned(bytes + [0], der: theirs, by: key))
            #expect(master.public65 == key)
        }
    }

    @Test("configuration strings are read or refused, and written")
    func configurations() throws {
        for row in try PowerAuthVectors.rows("sdk-config", "configs", count: 13) {
            let text = try row.text("config"), name = try row.text("name")
            guard try row.flag("valid") else {
                #expect(throws: PowerAuthRefusal.configurationMalformed, "\(name)") { try SDKConfiguration(text: text) }
                continue
            }
            let read = try SDKConfiguration(text: text)
            if name != "validV4" { #expect(read.text == text, "\(name)") }
            guard row.has("applicationKey") else { continue }
            let key = try row.raw("applicationKey"), secret = try row.secret("applicationSecret"),
                master = try row.raw("masterServerPublicKey")

            #expect(read.applicationKey == key)
            #expect(read.applicationSecret == secret)
            #expect(read.masterPublicKey == master)
        }
    }

    @Test("lengths of every width")
    func counts() throws {
        for row in try PowerAuthVectors.rows("sdk-config", "countEncoding", count: 1) {
            let listed = try #require(row.json["numbers"]?.array), numbers = listed.compactMap { $0.integer },
                bytes = try row.raw("bytes")
            var rest = bytes[...], read: [Int] = []
            while let number = CountCode.read(&rest) { read.append(number) }
            let written = numbers.flatMap { CountCode.bytes($0) }

            #expect(written == bytes)
            #expect(read == numbers)
            #expect(rest.isEmpty)
        }
    }

    @Test("TOTP, the rows with SHA-256")
    func proximityCodes() throws {
        let rows = try PowerAuthVectors.rows("totp", count: 13).filter { try $0.text("algorithm") == "HmacSHA256" }
        #expect(rows.count == 7)
        for row in rows {
            let seed = SecretBytes(try row.hexadecimal("seedHex")), time = Date(numericDate: try row.number("time")),
                expected = try row.text("otp")

            #expect(ProximityCode.code(seed, at: time) == expected)
            #expect(ProximityCode.isRight(expected, seed: seed, at: time))
            #expect(ProximityCode.isRight(expected, seed: seed, at: time.addingTimeInterval(30)))
            #expect(!ProximityCode.isRight(expected, seed: seed, at: time.addingTimeInterval(60)))
            #expect(!ProximityCode.isRight(expected, seed: seed, at: time.addingTimeInterval(-30)))
            #expect(!ProximityCode.isRight("0" + expected, seed: seed, at: time))
            #expect(
                ProximityCode.isRight(expected, seed: seed, at: ProximityCode.expires(at: time).addingTimeInterval(-1)))
            #expect(!ProximityCode.isRight(expected, seed: seed, at: ProximityCode.expires(at: time)))
        }
    }

    @Test("proximity codes: what apps read is what we write")
    func proximityLinks() throws {
        for row in try PowerAuthVectors.rows("pac", count: 13) {
            let text = try row.text("text"), read = ScannedProximityCode(text)
            guard row.has("operationId") else {
                #expect(read == nil, "\(text)")
                continue
            }
            let id = try row.text("operationId")
            #expect(read?.operationID == id)
            guard row.has("totp") else { continue }
            let code = try row.text("totp")
            let link = try #require(ProximityCode.deeplink(scheme: "scheme", operationID: id, code: code)),
                jwt = ProximityCode.jwt(operationID: id, code: code)

            #expect(read?.code == code)
            #expect(ScannedProximityCode(link) == read)
            #expect(ScannedProximityCode(jwt) == read)
            #expect(ScannedProximityCode("scheme://operation?code=\(jwt)") == read)
            if text.hasPrefix("scheme://operation?oid=6a1cb007") { #expect(link == text) }
        }
    }

    @Test("offline codes: the same bytes as in the vectors, by the application's key; what would break one is refused")
    func offlineCodes() throws {
        let application = PowerAuthKeyPair.fresh(), another = PowerAuthKeyPair.fresh()
        var written = 0, refused = 0
        for row in try PowerAuthVectors.rows("offline-qr", count: 43) {
            let lines = try row.text("qr").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let isValid = try row.flag("valid"), nonce = Base64Text.decode(lines[lines.count - 2]) ?? []
            // One row is of a format that is newer than ours; others are refused by apps for fields that only an app
            // looks into, or for signatures.
            guard lines.count < 9 else { continue }
            let flags = OfflineCode.Flags(
                biometry: lines[4].contains("B"), flip: lines[4].contains("X"), fraud: lines[4].contains("F"),
                blockOnCall: lines[4].contains("C")
            )
            let code = try? OfflineCode(
                operationID: lines[0], title: Self.plain(lines[1]), message: Self.plain(lines[2]), data: lines[3],
                flags: flags,
                totp: lines.count > 7 ? lines[5] : nil, nonce: nonce, signer: .master
            )
            if isValid {
                let signed = try row.text("signedData").replacingOccurrences(of: "\\*\nA1", with: "\\\\*\nA1")
                #expect(code?.signedText == signed)
                let text = try #require(try code?.text(signedBy: application)), read = ScannedOfflineCode(text)
                #expect(read?.keyType == "0" && read?.signedText == signed)
                #expect(read?.isSigned(by: application.public65) == true)
                #expect(read?.isSigned(by: another.public65) == false)
                written += 1
            } else if code == nil {
                refused += 1
            }
        }
        #expect(written == 16)
        #expect(refused == 9)
    }

    /// As apps read titles. They keep a backslash before other letters, which we write as an escaped one.
    static func plain(_ text: String) -> String {
        text.replacingOccurrences(of: "\\\\", with: "\u{1}").replacingOccurrences(of: "\\n", with: "\n")
            .replacingOccurrences(of: "\u{1}", with: "\\")
    }
}
