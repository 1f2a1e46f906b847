import Base
import Foundation
import ProtocolTestSupport
import Testing

@testable import Tiqr

@Suite("protocols/tiqr.md, 1.11: secrets at rest of tiqr-server-libphp")
struct StoredSecretTests {
    static let hex = String(repeating: "00112233445566778899aabbccddeeff", count: 2)
    static let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    static let ivCBC = "EBESExQVFhcYGRobHB0eHw==", ivGCM = "EBESExQVFhcYGRob"

    /// Of `hex` under the first bytes of `key`; CBC by openssl's command line, GCM by another library.
    static let sealed: [String: String] = [
        "aes-128-cbc":
            """
        \(ivCBC)::lOMaR8wFszJdrV1it0AOxepgqwjE7w1FLIYYp7Cp2hhicMCcbjldOQMkEfxYuqN7jzRWfeYf3x5WEK+GyexYVNPBoakqZq\
        vg5nQtBf0jzi4=
        """,
        "aes-192-cbc":
            """
        \(ivCBC)::MophU80ku0xAF8K9kYviUr5n7kVv4mwK8z31Wz0QXF1dr5yFqvXaFsHl/O7Nrt8Een/XLoGAToqQc+SEoDoVAx82Fhug/U\
        HmGWlAqe8iXoQ=
        """,
        "aes-256-cbc":
            """
        \(ivCBC)::lmstLEQCcFEu/r9zJEfcx7Fu+Wb/nmcX/BWYLFfvRyoZux9yugswq0FADqQDIIBQ+XoOIy9BzkDoSW1qBVDIGFQNwd6UDP\
        e+JmNeWSVmVqM=
        """,
        "aes-128-gcm":
            """
        \(ivGCM):qcG5KWCefjpAmsd7uymx5g==:9B4ynj19hdwj6WjA8RHcCQKETb5XlQnd5qhNdQJgd8vi6RAOs5TIL9eU4P3s5mYssYDIEp\
        ii2YoIdknS4vUg/g==
        """,
        "aes-192-gcm":
            """
        \(ivGCM):gfCJn+pTV5nlCGIvFnQGvg==:BmcWJDG68MvUsuq5Zuoe2r7VAKhKTGVi1NlO1M4SReBXtZ1UEepr1IFPZCWIn0RuC5HuH+\
        3bFOR5GiYfuWT+vA==
        """,
        "aes-256-gcm":
            """
        \(ivGCM):QiDofySqdeJzK1ia1yRwtw==:Tc6pJ3v7CYD+QT0oOU9eZO9odzd6ozXThJqGAzsxMr1g2WYyx5Rd3EoCp2S8riQsK4R+So\
        LqO5DffV5VlvLCDQ==
        """,
    ]

    /// As it stands in that server's YAML.
    static func keys() throws -> StorageKeys {
        try StorageKeys("# of 2020\nk128: \(key.prefix(32))\nK192: '\(key.prefix(48))'\n\n\"k256\": \"\(key)\",\n")
    }

    static func read(_ stored: String?) throws -> SecretBytes { try StoredSecret.read(stored, with: keys()) }

    @Test("bare and plain hexadecimal in either case")
    func plain() throws {
        let bare = try Self.read(Self.hex), named = try Self.read("plain:" + Self.hex.uppercased())

        #expect(Hexadecimal.encode(bare.expose { $0 }) == Self.hex)
        #expect(bare == named)
    }

    @Test(
        "AES in CBC and GCM with keys of each length; names count in either case",
        arguments: [
            ("aes-128-cbc", "k128"), ("aes-192-cbc", "k192"), ("AES-256-CBC", "K256"), ("aes-128-gcm", "K128"),
            ("Aes-192-Gcm", "k192"), ("aes-256-gcm", "k256"),
        ])
    func encrypted(cipher: String, key: String) throws {
        let sealed = try #require(Self.sealed[cipher.lowercased()])

        let secret = try Self.read("openssl:\(cipher):\(key):\(sealed)")

        #expect(Hexadecimal.encode(secret.expose { $0 }) == Self.hex)
    }

    @Test("what cannot be read is refused for its own reason")
    func refused() throws {
        let gcm = try #require(Self.sealed["aes-128-gcm"]), cbc = try #require(Self.sealed["aes-128-cbc"]),
            tag = "qcG5KWCefjpAmsd7uymx5g=="
        func expect(_ reason: StoredSecret.Unreadable, _ stored: String?) {
            #expect(throws: reason, "\(stored ?? "nothing")") { try Self.read(stored) }
        }

        expect(.missing, nil)
        expect(.missing, "")
        expect(.hexadecimal, "xyz")
        expect(.hexadecimal, String(Self.hex.dropLast()))
        expect(.length, "plain:")
        expect(.length, "00ff")
        expect(.length, "plain:\(Self.hex)\(Self.hex)00")
        expect(.mcrypt, "\(Self.hex)\(Self.hex)")
        expect(.type, "dummy:\(Self.hex)")
        expect(.type, "Plain:\(Self.hex)")
        expect(.form, "openssl:")
        expect(.form, "openssl:aes-128-cbc:k128:\(Self.ivCBC)")
        expect(.form, "openssl:aes-128-cbc:k128:\(cbc):x")
        expect(.form, "openssl:aes-128-cbc:k128:\(gcm)")
        expect(.cipher("camellia-128-cbc"), "openssl:camellia-128-cbc:k128:\(cbc)")
        expect(.cipher("chacha20"), "openssl:chacha20:k256:\(cbc)")
        expect(.cipher("an unknown cipher"), "openssl:\(Self.hex):k128:\(cbc)")
        expect(.key, "openssl:aes-128-cbc:k64:\(cbc)")
        expect(.keyLength, "openssl:aes-128-cbc:k256:\(cbc)")
        expect(.base64("IV"), "openssl:aes-128-cbc:k128:_\(cbc)")
        expect(.base64("tag"), "openssl:aes-128-gcm:k128:\(gcm.replacing(tag, with: "_"))")
        expect(.base64("ciphertext"), "openssl:aes-128-gcm:k128:\(gcm)_")
        expect(.sealed, "openssl:aes-128-gcm:k128:\(gcm.replacing(tag, with: ""))")
        expect(.sealed, "openssl:aes-128-gcm:k128:\(gcm.replacing(tag, with: "qcG5KWCefjpAmsd7uymx5A=="))")
        expect(.sealed, "openssl:aes-128-gcm:k128:\(cbc)")
        expect(.sealed, "openssl:aes-128-cbc:k128:\(Self.ivGCM)::lOMaR8wFszJdrV1it0AOxQ==")
        expect(.sealed, "openssl:aes-128-cbc:k128:\(Self.ivCBC)::")
    }

    @Test("no reason repeats what was stored, not even where its parts are mixed up")
    func silent() throws {
        for stored in [
            "\(Self.hex):x", "openssl:\(Self.hex)", "openssl:\(Self.hex):a:b:c:d", "plain:\(Self.hex)g", "g\(Self.hex)",
            "openssl:aes-128-cbc:\(Self.hex):a::b",
        ] {
            #expect { try Self.read(stored) } throws: { error in !"\(error)".contains(Self.hex) }
        }
    }

    @Test(
        "a file of keys that is not whole is refused by its line, and the key is not told",
        arguments: [
            ("a", 1), ("a: 00", 1), ("a:b:00112233445566778899aabbccddeeff", 1),
            (": 00112233445566778899aabbccddeeff", 1), ("a: 00112233445566778899aabbccddeefg", 1),
            ("a: 00112233445566778899aabbccddeeff\n\nA: 00112233445566778899aabbccddeeff", 3),
        ])
    func keyFiles(text: String, line: Int) {
        #expect { try StorageKeys(text) } throws: { error in
            guard let malformed = error as? StorageKeys.Malformed else { return false }
            return malformed.line == line && !malformed.description.contains("001122")
        }
    }

    @Test("the published plaintexts", .enabled(if: TiqrVectors.arePresent, TiqrVectors.whyNot))
    func published() throws {
        for row in try TiqrVectors.rows("secret_at_rest_openssl", count: 2) {
            func base64(_ name: String) throws -> String {
                Data(try #require(Hexadecimal.decode(row[name]?.string ?? "?"))).base64EncodedString()
            }
            let keys = try StorageKeys("default: \(try #require(row.text("key")))"),
                cipher = try #require(row.text("cipher"))

            let plain = try StoredSecret.open(
                "\(cipher):default:\(base64("iv")):\(base64("tag")):\(base64("ciphertext"))", with: keys)

            #expect(Hexadecimal.encode(plain.expose { $0 }) == row.text("plaintext"))
        }
    }

    @Test(
        "the published malformed ones are refused for the reason that the file gives",
        .enabled(if: TiqrVectors.arePresent, TiqrVectors.whyNot))
    func publishedRefusals() throws {
        let reasons: [String: StoredSecret.Unreadable] = [
            "format: six fields": .form, "format: four fields": .form, "unknown key id": .key,
            "iv is not base64": .base64("IV"),
            "tag is not base64": .base64("tag"), "decryption fails": .sealed,
        ]
        let keys = try StorageKeys("default: \(Self.key.prefix(32))")
        for row in try TiqrVectors.rows("secret_at_rest_openssl_invalid", count: 6) {
            let stored = try #require(row.text("stored")), reason = try #require(reasons[row.text("error") ?? ""])

            #expect(throws: reason, "\(stored)") { try StoredSecret.read("openssl:" + stored, with: keys) }
        }
    }
}
