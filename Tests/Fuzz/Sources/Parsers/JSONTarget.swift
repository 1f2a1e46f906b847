import Base
import Foundation
import Harness

/// `JSONReader` and `JSONValue.text`. Beside them: `JSONSerialization`, which must read whatever we read, and alike.
enum JSONTarget {
    static let target = Target("json", run: run)
    private static let depth = 32

    private static func run(_ input: [UInt8]) {
        let value: JSONValue
        do {
            value = try JSONReader.read(input)
        } catch {
            return refused(error, input)
        }
        require(levels(value) <= depth, "no deeper than the limit")
        require(nodes(value) <= input.count, "a value has a byte")
        shallower(value, input)
        writeAndRead(value)
        guard let theirs = foundation(input) else {
            return require(JSONDifferences.mayRefuse(input), "Foundation reads what was read")
        }
        require(JSONDifferences.isSame(value, theirs), "Foundation reads the same value")
    }

    private static func refused(_ error: JSONReader.Malformed, _ input: [UInt8]) {
        if case .syntax(let offset) = error {
            require((0...input.count).contains(offset), "the place of an error is in the input")
            if foundation(input) != nil {
                require(JSONDifferences.mayAccept(input), "Foundation refuses it too: byte \(offset)")
            }
        }
        if case .tooDeep = error {
            require(
                input.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") } > depth,
                "too deep needs as many brackets")
        }
    }

    /// The limit is exact: with one level less it is too deep, with just enough it is the same.
    private static func shallower(_ value: JSONValue, _ input: [UInt8]) {
        let levels = levels(value)
        let enough = certain("as deep as it is") { try JSONReader.read(input, depth: levels) }
        require(isAlike(enough, value), "a limit changes nothing")
        guard levels > 0 else { return }
        do {
            _ = try JSONReader.read(input, depth: levels - 1)
            violated("one level less is too deep")
        } catch { require(error == .tooDeep, "one level less is too deep") }
    }

    private static func writeAndRead(_ value: JSONValue) {
        for text in [value.text, value.prettyText] {
            require(
                text.unicodeScalars.allSatisfy { scalar in
                    (scalar == "\n" || scalar.value >= 0x20)
                        && !["<", "\u{7F}", "\u{2028}", "\u{2029}"].contains(scalar)
                }, "JSON may stand in a page")
            let again = certain("what was written is read") { try JSONReader.read(text.utf8) }
            require(isAlike(again, value), "what was written is read back the same")
        }
    }

    private static func foundation(_ input: [UInt8]) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(input), options: [.fragmentsAllowed])
    }

    private static func levels(_ value: JSONValue) -> Int {
        switch value {
        case .array(let items): 1 + (items.map(levels).max() ?? 0)
        case .object(let object): 1 + (object.members.map { levels($0.value) }.max() ?? 0)
        default: 0
        }
    }

    private static func nodes(_ value: JSONValue) -> Int {
        switch value {
        case .array(let items): items.reduce(1) { $0 + nodes($1) }
        case .object(let object): object.members.reduce(1) { $0 + nodes($1.value) }
        default: 1
        }
    }

    /// Equal to the byte, members in the same order.
    private static func isAlike(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            isSpelledAlike(left, right) && !left.utf8.contains(0)
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy(isAlike)
        case (.object(let left), .object(let right)):
            left.members.count == right.members.count
                && zip(left.members, right.members).allSatisfy {
                    isSpelledAlike($0.name, $1.name) && isAlike($0.value, $1.value)
                }
        case (.number(let left), .number(let right)):
            left == right && left.sign == right.sign
        default:
            left == right
        }
    }
}
