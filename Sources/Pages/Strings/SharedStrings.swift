/// The strings of one language, held once: a page that shows them has a reference, where a value would be a copy of
/// hundreds of strings. Templates and code see the members of `Value`.
@dynamicMemberLookup
public final class SharedStrings<Value: Sendable>: Sendable, CustomReflectable {
    private let value: Value

    fileprivate init(_ value: Value) { self.value = value }

    public subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> Member { value[keyPath: member] }

    public var customMirror: Mirror { Mirror(reflecting: value) }
}

extension SharedStrings {
    /// The same strings in every language, each made once.
    public struct Translations: Sendable {
        private let words: [Language: SharedStrings]

        /// `value` is asked for all languages.
        public init(_ value: (Language) -> Value) {
            words = Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0, SharedStrings(value($0))) })
        }

        public subscript(language: Language) -> SharedStrings {
            guard let words = words[language] else { preconditionFailure("every language has its words") }
            return words
        }
    }
}
