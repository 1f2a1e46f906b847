import Administration
import Base
import Crawler
import Server
import Vocabulary

/// What the document of a service says to who proposes the service by the document's URL. It is read as a crawl reads
/// it, as a stranger named it.
struct ProposedDocument: Sendable {
    /// Of the links and protocols of a document, so many are told.
    private static let most = 50
    private static let longestName = 200

    let base: WebAddress
    private let document: ServiceDocument
    private let result: CrawlResult

    /// Throws `AdminFailure` (`invalid`) where no document is read there, and where it does not say whose it is.
    /// - Parameters:
    ///   - address: the same as `url`.
    ///   - base: of the service; `nil` where the document is to say it.
    static func read(
        _ url: String, at address: WebAddress, base: WebAddress?, _ settings: Settings, clock: WallClock
    ) async throws -> ProposedDocument {
        let look = DocumentLook(
            try CrawlerSettings(settings, version: Version.text), loopback: settings.allowsLoopbackServices,
            clock: clock)
        let result = try await look.read(base: base?.withoutQuery ?? address.origin, rsd: url)
        guard let document = result.document.flatMap({ ServiceDocument(json: $0) }) else {
            throw AdminFailure(.invalid, "\(url.prefix(200)) \(trouble(with: result))")
        }
        return ProposedDocument(
            base: try base ?? home(document.homePageLink, at: address), document: document, result: result)
    }

    /// The base URL that a document means: its home page, where that is at the document's own origin. Of other places
    /// it says nothing.
    static func home(_ link: String, at address: WebAddress) throws -> WebAddress {
        guard let home = WebAddress(link), home.query == nil, home.origin == address.origin else {
            let shown = PlainText.harmless(String(link.prefix(200)))
            throw AdminFailure(
                .invalid, "its homePageLink, \(shown), is no base URL at \(address.origin)",
                hint: "name the base URL beside --rsd")
        }
        return home
    }

    private static func trouble(with result: CrawlResult) -> String {
        switch result.reason {
        // Which of them would tell strangers what names mean inside this network.
        case .address, .dns, .unreachable, nil: "could not be read from here"
        case .httpStatus: "answered \(result.httpStatus.map { String($0) } ?? "with an error")"
        case let reason?: "is no document that can be read. \(reason.advice)"
        }
    }

    /// What it calls itself; `nil` where that is no name for people.
    var name: String? {
        DisplayText.isFit(document.engineName, longest: ProposedDocument.longestName) ? document.engineName : nil
    }

    /// What was read, for who proposes and who decides.
    var json: JSONValue {
        let links = document.apis.prefix(ProposedDocument.most).map { api -> JSONValue in
            ["protocol": .string(api.name), "url": .string(api.link)]
        }
        return [
            "url": JSONValue(result.documentURL), "name": JSONValue(name),
            "id": JSONValue(document.engineID.flatMap { ServicesCommand.isID($0) ? $0 : nil }),
            "protocols": JSONValue(strings: result.protocols.prefix(ProposedDocument.most)),
            "token_endpoint": .string(DocumentLook.tokenEndpoint(of: document, base: base.withoutQuery)),
            "links": .array(links), "warnings": JSONValue(strings: result.warnings),
            "advice": JSONValue(strings: result.advice),
        ]
    }
}
