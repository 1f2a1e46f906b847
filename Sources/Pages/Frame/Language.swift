/// The languages of the pages, by ISO 639-1 code.
public enum Language: String, Sendable, CaseIterable {
    case en, de, fr, it

    /// `ui_locales` (OpenID Connect Core, 3.1.2.1) first, then Accept-Language with q-values (RFC 9110, 12.5.4);
    /// English otherwise. "de-CH" is de. Of hostile length, only the beginning is read; what is no language range is
    /// passed over.
    public init(accepting header: String?, uiLocales: String? = nil) {
        let asked = (uiLocales ?? "").utf8.prefix(Self.readable).split(separator: UInt8(ascii: " ")).prefix(Self.ranges)
        self = asked.lazy.compactMap { Self(range: $0) }.first ?? Self.preferred(header ?? "") ?? .en
    }

    private static let readable = 1_024, ranges = 32

    private init?(range: Substring.UTF8View) {
        let primary = String(Substring(range)).lowercased().prefix { $0 != "-" }
        guard let language = Self(rawValue: String(primary)) else { return nil }
        self = language
    }

    /// Of two ranges of one weight the earlier wins. `*` stands for English, or else for the first language that no
    /// range names.
    private static func preferred(_ header: String) -> Language? {
        var named: [Language: Int] = [:], order: [Language] = [], rest = 0
        for element in header.utf8.prefix(readable).split(separator: UInt8(ascii: ",")).prefix(ranges) {
            let parts = Substring(element).split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
            guard let range = parts.first, let weight = weight(parts.dropFirst()) else { continue }
            if range == "*" {
                rest = max(rest, weight)
            } else if let language = Self(range: range[...].utf8) {
                if named[language] == nil { order.append(language) }
                named[language] = max(named[language] ?? 0, weight)
            }
        }
        if rest > 0, let other = allCases.first(where: { named[$0] == nil }) {
            order.append(other)
            named[other] = rest
        }
        let best = order.compactMap { named[$0] }.max() ?? 0
        return best > 0 ? order.first { named[$0] == best } : nil
    }

    /// Without the blanks around it; those inside stay and make it no range.
    private static func trimmed(_ text: Substring) -> String {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
        return String(String(text.drop(while: isBlank)).reversed().drop(while: isBlank).reversed())
    }

    /// Thousandths; `nil` when it is written otherwise than RFC 9110, 12.4.2, says.
    private static func weight(_ parameters: some Collection<String>) -> Int? {
        guard let parameter = parameters.first else { return 1_000 }
        guard parameters.count == 1,
            let match = parameter.wholeMatch(of: #/[qQ]=(?:(1(?:\.0{0,3})?)|0(?:\.([0-9]{0,3}))?)/#)
        else { return nil }
        if match.1 != nil { return 1_000 }
        let digits = String(match.2 ?? "")
        return Int(digits + String(repeating: "0", count: 3 - digits.count))
    }
}

extension Language {
    /// The language of a tag (RFC 5646), English where there are no words in it.
    public init(tag: String) { self = Language(rawValue: tag) ?? .en }
}
