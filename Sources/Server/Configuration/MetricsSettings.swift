import Base
import Foundation
import HTTP

/// Where `/metrics` is served, and to whom.
struct MetricsSettings: Sendable {
    /// Letters of a token, at least: nobody guesses as many.
    static let shortest = 32

    let host: String
    let isLoopback: Bool
    private let tokenFile: String

    private static let ownMachine = ["127.0.0.0/8", "::1"].compactMap { CIDR($0) }

    init(_ texts: SettingValues) throws {
        host = texts[.metricsHost].trimmingCharacters(in: .whitespaces)
        tokenFile = texts[.metricsTokenFile]
        guard let address = IPAddress(host)?.unmapped else {
            throw UnacceptableSetting(
                description: "metrics-host: \(host) is no address; write one of this machine, or 0.0.0.0 for all")
        }
        isLoopback = MetricsSettings.ownMachine.contains { $0.contains(address) }
        guard isLoopback || !tokenFile.isEmpty else {
            throw UnacceptableSetting(
                description:
                    """
                    metrics-host: \(host) can be reached from other machines, and the page tells how this server is \
                    used; name a file with a token in metrics-token-file, or stay on 127.0.0.1
                    """)
        }
    }

    /// Reads the file; `nil` where no token is asked for.
    func token() throws -> SecretBytes? {
        guard !tokenFile.isEmpty else { return nil }
        guard let text = try? String(contentsOfFile: tokenFile, encoding: .utf8) else {
            throw UnacceptableSetting(description: "metrics-token-file: \(tokenFile) cannot be read")
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.utf8.count >= MetricsSettings.shortest, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw UnacceptableSetting(
                description:
                    """
                    metrics-token-file: \(tokenFile) must hold \(MetricsSettings.shortest) or more letters of ASCII \
                    without spaces, as `openssl rand -hex 32` prints them
                    """)
        }
        return SecretBytes(token.utf8)
    }
}
