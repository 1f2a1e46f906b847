import Foundation

@testable import Server

/// A file of deploy/, as far as it says what Pando is started with.
struct ShippedFile {
    /// The checkout's.
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("deploy")

    let lines: [Substring]

    init(_ name: String) throws {
        lines = try String(contentsOf: ShippedFile.folder.appendingPathComponent(name), encoding: .utf8).split(
            separator: "\n")
    }

    /// `PANDO_…=value` lines, as systemd and shells read them.
    var environmentLines: [String: String] { pairs { $0.hasPrefix("PANDO_") ? $0 : nil } }

    /// `Environment=` of a unit, in whose values `%d` is the folder of credentials.
    var unit: [String: String] {
        pairs { $0.hasPrefix("Environment=") ? $0.dropFirst("Environment=".count) : nil }
            .mapValues { $0.replacing("%d", with: "/run/credentials") }
    }

    /// `ENV` of a Containerfile.
    var image: [String: String] {
        let words = lines.filter { $0.hasPrefix("ENV ") }.flatMap { $0.dropFirst(4).split(separator: " ") }
        return Dictionary(uniqueKeysWithValues: words.filter { $0.hasPrefix("PANDO_") }.map(ShippedFile.pair))
    }

    /// `PANDO_…: value` of a compose file, with what its `${NAME…}` are to stand for.
    func compose(_ outside: [String: String]) -> [String: String] {
        let told = lines.map { $0.drop(while: \.isWhitespace) }.filter { $0.hasPrefix("PANDO_") }
        return Dictionary(
            uniqueKeysWithValues: told.compactMap { line in
                line.firstMatch(of: #/^(PANDO_[A-Z_]+): ("?)(.+)\2$/#).map { match in
                    (
                        String(match.1),
                        String(match.3).replacing(#/\$\{([A-Z_]+)[^}]*\}/#) { outside[String($0.1)] ?? "" }
                    )
                }
            })
    }

    /// What stands behind `name` on a line of its own.
    func value(of name: String) -> String? {
        lines.map { $0.drop(while: \.isWhitespace) }.first { $0.hasPrefix(name) }
            .map { $0.dropFirst(name.count).trimmingCharacters(in: .whitespaces) }
    }

    private func pairs(_ wanted: (Substring) -> Substring?) -> [String: String] {
        Dictionary(uniqueKeysWithValues: lines.compactMap(wanted).map(ShippedFile.pair))
    }

    private static func pair(_ text: Substring) -> (String, String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
}

extension Settings {
    /// What a process with this environment alone would be started with. Whatever is not read is a mistake in a file
    /// that ships.
    init(shipped environment: [String: String]) async throws {
        let values = try await ConfigurationValues(flags: [:], environment: environment)
        guard values.warnings.isEmpty else { throw Unacceptable(description: values.warnings.joined(separator: "; ")) }
        try self.init(values)
    }
}
