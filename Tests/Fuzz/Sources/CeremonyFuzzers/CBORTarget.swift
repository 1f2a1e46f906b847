import Base
import Harness

@testable import Liquid
@testable import WebAuthn

/// `CBORReader`: beside it a second reading of RFC 8949, which takes the same and nothing else.
enum CBORTarget {
    static let target = Target("cbor", run: run)
    private static let depth = 8

    private static func run(_ input: [UInt8]) {
        var second = SecondReading(input, depth: depth)
        let holds = second.isItem() && second.isAtEnd
        let value: CBOR
        do throws(CBORReader.Malformed) {
            value = try CBORReader.read(input)
        } catch {
            return require(!holds, "what a second reading takes is taken: \(error)")
        }
        require(holds, "what is taken, a second reading takes")
        again(value, input)
        edges(value, input)
        shallower(value, input)
    }

    /// One value has one length in shortest forms, whatever the order of its members.
    private static func again(_ value: CBOR, _ input: [UInt8]) {
        let written = CBORText.write(value)
        require(written.count == input.count, "shortest forms have one length")
        require(!isOrdered(value) || written == input, "without maps it is the same to the byte")
        require(
            certain("what was written is read", { try CBORReader.read(written) }) == value,
            "what was written is the same")
    }

    private static func isOrdered(_ value: CBOR) -> Bool {
        switch value {
        case .map(let members): members.count < 2 && members.values.allSatisfy(isOrdered)
        case .array(let items): items.allSatisfy(isOrdered)
        case .integer, .bytes, .text, .bool, .null: true
        }
    }

    /// Not a byte more or less; what follows a value is left alone.
    private static func edges(_ value: CBOR, _ input: [UInt8]) {
        require(
            (try? CBORReader.read(input + [0xF6])) == nil && (try? CBORReader.read(Array(input.dropLast()))) == nil,
            "neither more nor less is the value")
        let (first, rest) = certain("it is at the beginning") { try CBORReader.readFirst((input + [0xF6, 0x00])[...]) }
        require(first == value && Array(rest) == [0xF6, 0x00], "what follows is left")
    }

    /// The limit is exact.
    private static func shallower(_ value: CBOR, _ input: [UInt8]) {
        let deep = levels(value)
        require(deep <= depth, "no deeper than the limit")
        require(
            certain("as deep as it is", { try CBORReader.read(input, depth: deep) }) == value, "a limit changes nothing"
        )
        guard deep > 0 else { return }
        do throws(CBORReader.Malformed) {
            _ = try CBORReader.read(input, depth: deep - 1)
            violated("one level less is too deep")
        } catch { require(error == .tooDeep, "one level less is too deep: \(error)") }
    }

    private static func levels(_ value: CBOR) -> Int {
        switch value {
        case .array(let items): 1 + (items.map(levels).max() ?? 0)
        case .map(let members): 1 + (members.values.map(levels).max() ?? 0)
        case .integer, .bytes, .text, .bool, .null: 0
        }
    }
}

/// Writes what `CBORReader` reads.
enum CBORText {
    static func write(_ value: CBOR) -> [UInt8] {
        switch value {
        case .integer(let number): number < 0 ? head(1, UInt64(-1 - number)) : head(0, UInt64(number))
        case .bytes(let bytes): head(2, UInt64(bytes.count)) + bytes
        case .text(let text): head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let items): head(4, UInt64(items.count)) + items.flatMap(write)
        case .map(let members): head(5, UInt64(members.count)) + members.flatMap { key($0.key) + write($0.value) }
        case .bool(let flag): [flag ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    private static func key(_ key: CBOR.Key) -> [UInt8] {
        switch key {
        case .integer(let number): write(.integer(number))
        case .text(let text): write(.text(text))
        }
    }

    private static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        let size: (mark: UInt8, bytes: Int)
        switch argument {
        case ..<24: return [major << 5 | UInt8(argument)]
        case ..<0x100: size = (24, 1)
        case ..<0x1_0000: size = (25, 2)
        case ..<0x1_0000_0000: size = (26, 4)
        default: size = (27, 8)
        }
        return [major << 5 | size.mark]
            + (0..<size.bytes).map { UInt8(truncatingIfNeeded: argument >> UInt64(8 * (size.bytes - 1 - $0))) }
    }
}
