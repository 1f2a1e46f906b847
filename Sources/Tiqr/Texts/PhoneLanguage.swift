/// The language that an app tells (protocols/tiqr.md, 1.3): the primary subtag of a tag (RFC 5646, 2.2.1), in lower
/// case. Apps send `en`, `en-NL` and `en_NL`; whatever else comes is no language and spoils nothing.
struct PhoneLanguage: Sendable, Equatable {
    let subtag: String

    init?(_ tag: String?) {
        guard let tag, tag.utf8.count <= 35, let first = tag.split(separator: #/[-_]/#, maxSplits: 1).first,
            !tag.hasPrefix("-"), !tag.hasPrefix("_"), (2...3).contains(first.utf8.count),
            first.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) })
        else { return nil }
        subtag = first.lowercased()
    }

    init?(_ form: [String: String]) { self.init(form["language"]) }
}
