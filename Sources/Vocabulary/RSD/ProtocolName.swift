/// Names of protocols, which are the names of the apis of RSD documents.
///
/// A name with a dot is compared exactly. A dotless one, as RSD 1.0 has them, is folded: case, blanks, `-` and `_` do
/// not count.
public enum ProtocolName {
    /// By which an app gets a token at a service.
    public static let oauth = "org.ietf.oauth2"

    /// Whether discovery shows a service whose document has these names to app instances.
    public static func isShownToApps(_ names: [String]) -> Bool { offered(by: names).contains(oauth) }

    /// The form under which two names are compared.
    public static func folded(_ name: String) -> String {
        guard !name.contains(".") else { return name }
        return name.lowercased().filter { !$0.isWhitespace && $0 != "-" && $0 != "_" }
    }

    /// The protocol that a well-known name of RSD 1.0 or Moodle stands for (design/crawler.md, "Names").
    public static func mapped(_ name: String) -> String? { wellKnown[folded(name)] }

    /// What discovery matches for a document with these names: their compare forms, and the mapped names it does not
    /// use itself. In the order of `names`, each once.
    public static func offered(by names: [String]) -> [String] {
        var seen: Set<String> = []
        let mappedOnes = names.compactMap(mapped)
        return (names.map(folded) + mappedOnes).filter { seen.insert($0).inserted }
    }

    /// Trimmed, inner blanks run together; `nil` unless 1 to 200 characters without control characters remain.
    public static func tidied(_ name: String) -> String? {
        let words = name.trimmingBlanks.split(separator: " ", omittingEmptySubsequences: true)
        let tidy = words.joined(separator: " ")
        let scalars = tidy.unicodeScalars
        guard (1...200).contains(scalars.count), scalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        return tidy
    }

    private static let wellKnown = [
        "wordpress": "org.wordpress.xmlrpc", "wpapi": "org.wordpress.rest", "movabletype": "org.movabletype.xmlrpc",
        "metaweblog": "com.xmlrpc.metaweblog", "blogger": "com.blogger.xmlrpc", "atom": "org.ietf.atompub",
        "mediawiki": "org.mediawiki.api", "livejournal": "com.livejournal.xmlrpc", "twitter": "com.twitter.rest",
        "org.moodle.moodle_mobile_app": "org.moodle.mobile",
    ]
}

extension StringProtocol {
    /// Without white space at the ends; by scalars, so that a combining mark behind a blank stays.
    package var trimmingBlanks: Substring {
        var scalars = Substring(self).unicodeScalars
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return Substring(scalars.drop { $0.properties.isWhitespace })
    }
}
