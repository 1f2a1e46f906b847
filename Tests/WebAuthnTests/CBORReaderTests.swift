import Testing

@testable import Base
@testable import WebAuthn

@Suite("CBOR")
struct CBORReaderTests {
    static let examples: [(String, CBOR)] = [
        ("00", CBOR.integer(0)), ("17", .integer(23)), ("1818", .integer(24)), ("1903e8", .integer(1000)),
        ("1b000000e8d4a51000", .integer(1_000_000_000_000)),
        ("20", .integer(-1)), ("3903e7", .integer(-1000)), ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null),
        ("40", .bytes([])),
        ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("6449455446", .text("IETF")), ("62c3bc", .text("ü")),
        ("80", .array([])),
        ("83010203", .array([.integer(1), .integer(2), .integer(3)])), ("a0", .map([:])),
        ("a201020304", .map([.integer(1): .integer(2), .integer(3): .integer(4)])),
        ("a26161016162820203", .map([.text("a"): .integer(1), .text("b"): .array([.integer(2), .integer(3)])])),
        ("1b7fffffffffffffff", .integer(.max)), ("3b7fffffffffffffff", .integer(.min)),
        ("a2616201616102", .map([.text("b"): .integer(1), .text("a"): .integer(2)])),
    ]
    static let refusals: [(String, CBORReader.Malformed)] = [
        ("", CBORReader.Malformed.truncated), ("0000", .leftover), ("1817", .notShortest), ("190017", .notShortest),
        ("1900ff", .notShortest),
        ("1a0000ffff", .notShortest), ("1b00000000ffffffff", .notShortest), ("5803010203", .notShortest),
        ("1c", .indefinite), ("1f", .indefinite),
        ("5f42010243030405ff", .indefinite), ("9fff", .indefinite), ("bfff", .indefinite), ("ff", .indefinite),
        ("c000", .unsupported), ("d9d9f700", .unsupported),
        ("f7", .unsupported), ("e0", .unsupported), ("f820", .unsupported), ("f93c00", .unsupported),
        ("fa47c35000", .unsupported), ("a1f500", .unsupported),
        ("a1410000", .unsupported), ("1bffffffffffffffff", .tooLarge), ("3bffffffffffffffff", .tooLarge),
        ("a201020103", .duplicateKey),
        ("a2616101616102", .duplicateKey), ("62c328", .badEncoding), ("61ff", .badEncoding), ("5affffffff", .truncated),
        ("5bffffffffffffffff", .truncated),
        ("9bffffffffffffffff", .truncated), ("9a7fffffff00", .truncated), ("bb7fffffffffffffff00", .truncated),
        ("ba00010000000000", .truncated),
    ]

    @Test("examples of RFC 8949, appendix A", arguments: CBORReaderTests.examples)
    func isRead(hex: String, value: CBOR) throws {
        let bytes = try #require(Hexadecimal.decode(hex))
        let read = try CBORReader.read(bytes)
        #expect(read == value)
        for count in 0..<bytes.count {
            #expect(throws: CBORReader.Malformed.truncated) { try CBORReader.read(Array(bytes.prefix(count))) }
        }
    }

    @Test("what has another spelling, or is of no use here", arguments: CBORReaderTests.refusals)
    func refused(hex: String, reason: CBORReader.Malformed) throws {
        let bytes = try #require(Hexadecimal.decode(hex))
        #expect(throws: reason) { try CBORReader.read(bytes) }
    }

    @Test("eight levels and no more")
    func depth() throws {
        let fine = [UInt8](repeating: 0x81, count: 8) + [0], deep = [UInt8](repeating: 0x81, count: 9) + [0]
        #expect(throws: Never.self) { try CBORReader.read(fine) }
        #expect(throws: CBORReader.Malformed.tooDeep) { try CBORReader.read(deep) }
        #expect(throws: CBORReader.Malformed.self) { try CBORReader.read([UInt8](repeating: 0x81, count: 100_000)) }
    }

    @Test("noise never traps")
    func noise() {
        var generator = SystemRandomNumberGenerator(), read = 0
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            if (try? CBORReader.read(bytes)) != nil { read += 1 }
            _ = try? AuthenticatorData([UInt8](repeating: 0xFF, count: 37) + bytes)
        }
        #expect(read < 20_000)
    }
}
