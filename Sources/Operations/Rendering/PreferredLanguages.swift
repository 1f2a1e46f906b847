import Foundation

/// What `Accept-Language` asks for, best first (RFC 9110, 12.5.4). Of hostile length, only the beginning is read; what
/// is no language range is passed over.
struct PreferredLanguages: Sendable {
    private static let readable = 1_024, most = 32

    /// Lower-case ranges in order of weight, then of place; `*` and those of weight 0 are not among them.
    let ranges: [String]

    init(_ header: String?) {
        var found: [(range: String, weight: Double)] = []
        for element in (header ?? "").utf8.prefix(PreferredLanguages.readable).split(separator: UInt8(ascii: ","))
            .prefix(PreferredLanguages.most)
        {
            let parts = String(decoding: element, as: UTF8.self).split(separator: ";", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            guard let range = parts.first, PreferredLanguages.isTag(range),
                let weight = PreferredLanguages.weight(parts.dropFirst()), weight > 0
            else { continue }
            found.append((range, weight))
        }
        // By place where weights are equal: the standard library's sort is stable, but does not promise it.
        ranges = found.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map {
            $0.element.range
        }
    }

    static func isTag(_ text: String) -> Bool {
        text.utf8.count <= 35 && text.wholeMatch(of: #/[a-zA-Z]{2,3}(-[a-zA-Z0-9]{1,8}){0,3}/#) != nil
    }

    private static func weight(_ parameters: some Collection<String>) -> Double? {
        guard let parameter = parameters.first else { return 1 }
        guard parameters.count == 1, parameter.wholeMatch(of: #/q=(1(\.0{0,3})?|0(\.[0-9]{0,3})?)/#) != nil else {
            return nil
        }
        return Double(parameter.dropFirst(2)) ?? 0
    }

    /// The best of `offered`: of each range first the tag itself, then what shares its language; then English, then the
    /// first. `nil` for none at all.
    func choose(from offered: [String]) -> Int? {
        let tags = offered.map { $0.lowercased() }
        for range in ranges {
            var wanted = range
            while true {
                if let exact = tags.firstIndex(of: wanted) { return exact }
                guard let cut = wanted.lastIndex(of: "-") else { break }
                wanted = String(wanted[..<cut])
            }
            if let wider = tags.firstIndex(where: { $0.hasPrefix(wanted + "-") }) { return wider }
        }
        return tags.firstIndex(of: "en") ?? tags.firstIndex { $0.hasPrefix("en-") } ?? (tags.isEmpty ? nil : 0)
    }

    /// How numbers are written: by the best language that is known here, English without any.
    var locale: Locale {
        let known = ranges.first { PreferredLanguages.known.contains(String($0.prefix { $0 != "-" })) }
        return Locale(identifier: known ?? "en")
    }

    private static let known: Set<String> = Set(
        Locale.availableIdentifiers.map { String($0.prefix { $0 != "_" && $0 != "-" }).lowercased() })
}
