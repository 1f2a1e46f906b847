import Base
import Foundation
import Harness
import Vocabulary

/// `FormCodec`, and what a token endpoint asks of a form. Beside it: Foundation's percent-decoding, pair by pair.
enum FormTarget {
    static let target = Target("form", run: run)

    private static func run(_ input: [UInt8]) {
        let form: [String: String]
        do {
            form = try FormCodec.read(input)
        } catch {
            return refused(error, input)
        }
        let size = form.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        require(size <= input.count, "a form is not larger than what it was read from")
        require(form.allSatisfy { !$0.key.utf8.contains(0) && !$0.value.utf8.contains(0) }, "no NUL in a form")
        compare(form, input)
        writeAndRead(form)
        ask(form)
    }

    /// The three reasons are all there are, and each is one of the input's.
    private static func refused(_ error: FormCodec.Malformed, _ input: [UInt8]) {
        switch error {
        case .duplicate(let name): require(input.count > name.utf8.count, "the name that comes twice is in the input")
        case .nulByte: require(input.contains(0) || input.contains(UInt8(ascii: "%")), "a NUL comes from somewhere")
        case .badEncoding: require(expected(input).contains { $0 == nil }, "Foundation cannot decode it either")
        }
    }

    private static func compare(_ form: [String: String], _ input: [UInt8]) {
        let pairs = expected(input)
        require(pairs.count == form.count, "a pair, a parameter")
        for pair in pairs {
            guard let pair else { violated("Foundation refuses what was read") }
            guard let value = form[pair.name] else { violated("a name that Foundation reads is there") }
            require(isSpelledAlike(value, pair.value), "Foundation reads the same value")
        }
    }

    /// `nil` for a pair that Foundation cannot decode.
    private static func expected(_ input: [UInt8]) -> [(name: String, value: String)?] {
        input.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = FoundationForm.decoded(parts[0]),
                let value = parts.count > 1 ? FoundationForm.decoded(parts[1]) : ""
            else { return nil }
            return (name, value)
        }
    }

    private static func writeAndRead(_ form: [String: String]) {
        let text = FormCodec.write(form.map { ($0.key, $0.value) })
        require(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "what is written is printable ASCII")
        let again = certain("what was written is read") { try FormCodec.read(text.utf8) }
        require(
            again.count == form.count
                && again.allSatisfy { pair in form[pair.key].map { isSpelledAlike($0, pair.value) } == true },
            "what was written is read back the same")
    }

    private static func ask(_ form: [String: String]) {
        let parameters = OAuthParameters(form)
        for (name, value) in form {
            let asked = certain("a text is a text") { try parameters[name] }
            require(asked == (value.isEmpty ? nil : value), "an empty value counts as absent")
            if let scope = Scope(value) {
                require(Scope(scope.description) == scope, "a scope is written as it is read")
                require(
                    Set(scope.names).count == scope.names.count && scope.names.allSatisfy { !$0.isEmpty },
                    "scope names stand once")
            }
            let grant = GrantType(wire: value)
            require(GrantType(wire: grant.rawValue) == grant, "a grant type has one registered name")
        }
    }
}
