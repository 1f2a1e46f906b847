import Administration
import ArgumentParser
import Base
import Crawler
import Federation
import Server
import Vocabulary

/// Where a service is and whom to ask about it, said anew. An empty text is none.
struct ServiceChangeOptions: ParsableArguments {
    @Option(help: "Its name for people.") var name: String?
    @Option(help: "Another base URL; its endpoints are below that again, and it is read anew.") var base: String?
    @Option(help: "URL below its base at which it issues tokens, until its document names another.")
    var tokenEndpoint: String?
    @Option(help: "URL at which it takes events.") var eventsEndpoint: String?
    @Option(help: "URL of its RSD document, instead of searching; empty: search.") var rsd: String?
    @Option(help: "Whom to write to about it; empty: nobody.") var contact: String?
    @Option(help: "Seconds that access tokens for it live at most, 60 to 86400; 0: as lifetime-access-token says.")
    var tokenLifetime: Int?

    private static let longestContact = 254

    func apply(
        to change: inout ServiceChange, of service: FederationService, at base: WebAddress, _ settings: Settings
    ) throws {
        if let name {
            guard DisplayText.isFit(name, longest: 200) else {
                throw AdminFailure(.invalid, "--name takes 1 to 200 characters, and no control characters")
            }
            change.name = name
        }
        if let tokenEndpoint {
            let endpoint = try ServiceChangeOptions.address(
                tokenEndpoint, "--token-endpoint", service, settings
            ).description
            guard endpoint.hasPrefix(base.withoutQuery + "/") else {
                throw AdminFailure(.invalid, "--token-endpoint \(tokenEndpoint) is not below \(base.withoutQuery)")
            }
            change.tokenEndpoint = endpoint
        }
        if let eventsEndpoint {
            change.eventsEndpoint = try ServiceChangeOptions.address(
                eventsEndpoint, "--events-endpoint", service, settings
            ).description
        }
        if let rsd {
            guard rsd.isEmpty || WebAddress(rsd) != nil else {
                throw AdminFailure(.invalid, "--rsd \(rsd) is not an absolute http(s) URL")
            }
            change.rsd = .some(rsd.isEmpty ? nil : rsd)
        }
        if let contact {
            guard contact.isEmpty || DisplayText.isFit(contact, longest: ServiceChangeOptions.longestContact) else {
                throw AdminFailure(.invalid, "--contact takes 254 characters, and no control characters")
            }
            change.contact = .some(contact.isEmpty ? nil : contact)
        }
        if let tokenLifetime {
            let range = ServiceChange.tokenLifetimes.lowerBound...settings.longestAccessToken
            change.tokenLifetime = .some(try LifetimeOption.seconds(tokenLifetime, range, "--token-lifetime"))
        }
    }

    /// `nil` where it is to stay where it is.
    func newBase(_ service: FederationService, _ settings: Settings) throws -> WebAddress? {
        guard let base else { return nil }
        let address = try ServiceChangeOptions.address(base, "--base", service, settings)
        guard address.query == nil else { throw AdminFailure(.invalid, "--base \(base) has a query") }
        return address.withoutQuery == service.base ? nil : address
    }

    /// https, or what this configuration and this service are let.
    private static func address(
        _ text: String, _ option: String, _ service: FederationService, _ settings: Settings
    ) throws -> WebAddress {
        guard let address = WebAddress(text) else {
            throw AdminFailure(.invalid, "\(option) \(text) is not an absolute http(s) URL without userinfo")
        }
        let admitted = try CrawlerSettings(settings, version: Version.text).admits(base: address.withoutQuery)
        let isLoopback = service.allowsLoopback && settings.allowsLoopbackServices && address.isLoopback
        guard address.scheme == "https" || admitted || isLoopback else {
            throw AdminFailure(.invalid, "\(option) \(text) must be https")
        }
        return address
    }
}
