import Administration
import Base
import Pages

/// What a change ends, of the report that every change makes that revokes something.
struct WhatEnds: Sendable {
    /// Members that are told as sentences.
    static let members: Set<String> = ["revoked", "sessions_ended", "browsers_ended", "dry_run"]

    let sentences: [String], services: [String], hasServices: Bool

    /// `nil` where the change revokes nothing whatever happens.
    init?(_ result: JSONObject, _ words: SharedStrings<ConsoleStrings>) {
        let seen = Seen(result)
        guard !Seen.reports(result).isEmpty || seen.browsers > 0 else { return nil }
        var sentences: [String] = []
        if seen.isUncounted { sentences.append(words.uncounted) }
        if seen.tokens > 0 { sentences.append(words.tokensEnd(seen.tokens)) }
        if seen.browsers > 0 { sentences.append(words.browsersEnd(seen.browsers)) }
        if !seen.services.isEmpty { sentences.append(words.servicesTold(seen.services.count)) }
        if sentences.isEmpty { sentences.append(words.nothingEnds) }
        self.sentences = sentences
        services = seen.services.sorted().prefix(40).compactMap { ShownText.tidy($0) }
        hasServices = !services.isEmpty
    }

    /// What somebody looked at before they said yes.
    struct Seen: Sendable {
        private(set) var tokens = 0, browsers = 0, isUncounted = false, services: Set<String> = []
        private let isAlready: Bool

        init(_ result: JSONObject) {
            isAlready = result["already"]?.bool ?? false
            browsers = (result["sessions_ended"]?.integer ?? 0) + (result["browsers_ended"]?.integer ?? 0)
            for report in Seen.reports(result) {
                if report["tokens"] == .null { isUncounted = true }
                tokens += report["tokens"]?.integer ?? 0
                services.formUnion((report["services"]?.array ?? []).compactMap { $0["id"]?.string })
            }
        }

        /// Of a change that revokes beside what else it does, of one that revokes several nodes, and of one that does
        /// nothing else.
        static func reports(_ result: JSONObject) -> [JSONValue] {
            switch result["revoked"] {
            case .array(let several)?: several
            case .object(let one)?: [.object(one)]
            default: result["tokens"] != nil && result["services"] != nil ? [.object(result)] : []
            }
        }

        /// As a form carries it. The form's token keeps it the person's own.
        var text: String {
            "\(isAlready ? 1 : 0) \(isUncounted ? 1 : 0) \(tokens) \(browsers) "
                + services.sorted().joined(separator: ",")
        }

        private static let counts = 0...1_000_000_000_000

        private init?(text: String) {
            let words = text.split(separator: " ", omittingEmptySubsequences: false)
            // Whoever sends it may have written it: what nobody can have seen is nothing that was looked at.
            guard words.count == 5, let tokens = Int(words[2]), let browsers = Int(words[3]),
                Seen.counts.contains(tokens), Seen.counts.contains(browsers)
            else { return nil }
            (isAlready, isUncounted, self.tokens, self.browsers) = (words[0] == "1", words[1] == "1", tokens, browsers)
            services = Set(words[4].split(separator: ",").map(String.init))
        }

        /// It is what `text` told, or as good as that: tokens come and go all the time, so a tenth more, and ten, is no
        /// news. Another service, or that somebody else has done it, is.
        func isExpected(_ text: String) -> Bool {
            guard let before = Seen(text: text) else { return false }
            return isAlready == before.isAlready && (!isUncounted || before.isUncounted)
                && tokens <= before.tokens + max(10, before.tokens / 10) && browsers <= before.browsers + 10
                && services.isSubset(of: before.services)
        }
    }
}

extension AdminArgument {
    /// It lets somebody in, so it is typed into a form, and no page has it again.
    var isSecret: Bool { name == AdminArgument.stdin || isFile && ConsoleSecrets.isSecret(name) }
}

/// Members of a result that let somebody in: shown once, on the page that made them.
enum ConsoleSecrets {
    private static let names: Set<String> = ["link", "secret", "password", "code", "otp"]

    static func isSecret(_ name: String) -> Bool {
        names.contains(name) || ["_secret", "_token", "_link", "_password", "_jwk"].contains { name.hasSuffix($0) }
    }

    /// Also in a list inside, such as the links of people who were just made.
    static func areTold(in value: JSONValue) -> Bool {
        if let items = value.array { return items.contains(where: areTold) }
        return value.object?.contains { name, inner in
            inner.string == nil ? areTold(in: inner) : isSecret(name)
        } ?? false
    }

    static func all(in result: JSONObject) -> Set<String> {
        Set(result.filter { isSecret($0.name) && $0.value.string != nil }.map(\.name))
    }
}
