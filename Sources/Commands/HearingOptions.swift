import Administration
import ArgumentParser
import Base
import Crawler
import Federation
import Server

/// How a service is to hear of what has ended, on the command line.
struct HearingOptions: ParsableArguments {
    @Option(help: "How it hears of what has ended: auto, push, poll or revoke.") var notify: String?
    @Option(help: "URL at which it takes revocations (RFC 7009); empty for the one that its document names.")
    var revocationEndpoint: String?

    /// An address, or that there is to be none.
    struct Endpoint {
        let text: String?
    }

    /// `nil` where nothing was said.
    func wish() throws -> Hearing.Wish? {
        try notify.map { word in
            guard let wish = Hearing.Wish(rawValue: word) else {
                throw AdminFailure(.usage, "--notify takes one of \(Hearing.Wish.words)")
            }
            return wish
        }
    }

    /// `nil` where nothing was said. Where it leads is checked at each call, by the crawler's rules.
    func endpoint(_ settings: Settings, allowLoopback: Bool) throws -> Endpoint? {
        guard let revocationEndpoint else { return nil }
        guard !revocationEndpoint.isEmpty else { return Endpoint(text: nil) }
        guard let address = WebAddress(revocationEndpoint) else {
            throw AdminFailure(
                .invalid, "--revocation-endpoint \(revocationEndpoint) is not an absolute http(s) URL")
        }
        let admitted = try CrawlerSettings(settings, version: Version.text).admits(base: address.withoutQuery)
        guard address.scheme == "https" || admitted || (allowLoopback && address.isLoopback) else {
            throw AdminFailure(.invalid, "--revocation-endpoint \(revocationEndpoint) must be https")
        }
        return Endpoint(text: address.description)
    }
}
