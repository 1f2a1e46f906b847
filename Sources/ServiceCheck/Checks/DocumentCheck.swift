import Base
import Crawler
import PandoClient
import Vocabulary

/// What a crawl sees: the document, how it was found, its links, and TLS.
struct DocumentCheck: Sendable {
    private static let linksAsked = 10

    let base: String
    let look: DocumentLook
    /// URL of the document, instead of searching.
    let rsd: String?
    let transport: Transport

    func run() async throws -> (findings: [Finding], document: ServiceDocument?) {
        let result = try await look.read(base: base, rsd: rsd)
        var findings = [security(result)].compactMap(\.self)
        guard let document = result.document.flatMap({ ServiceDocument(json: $0) }) else {
            let advice = result.reason?.advice ?? "Publish a document."
            findings.append(Finding(.error, "document", advice, .document, evidence: result.detail))
            return (findings, nil)
        }
        findings.append(
            Finding(
                .ok, "document",
                "The document is found (\(result.source?.rawValue ?? "known"), \(result.documentURL ?? base)).",
                .document))
        findings += zip(result.warnings, result.advice).map(warning)
        if ProtocolName.isShownToApps(result.protocols) {
            findings.append(
                Finding(.ok, "oauth", "The document lists org.ietf.oauth2, so apps will see the service.", .document))
        }
        if document.apis.allSatisfy({ $0.name.hasPrefix(ProtocolName.oauth) }) {
            findings.append(
                Finding(
                    .warning, "no-protocol",
                    "The document offers no protocol beside org.ietf.oauth2: apps find a service by what it offers.",
                    .document))
        }
        return (findings + (try await links(document)), document)
    }

    /// Words of the crawler; of two, it says itself that nobody can use the service so.
    private func warning(_ word: String, _ advice: String) -> Finding {
        let severity: Finding.Severity = ["hidden_from_apps", "foreign_endpoint"].contains(word) ? .error : .warning
        return Finding(severity, "document-" + word.replacing("_", with: "-"), advice, .document)
    }

    private func security(_ result: CrawlResult) -> Finding? {
        guard let address = WebAddress(base) else { return nil }
        if address.scheme == "http" {
            let isOwn = address.isLoopback || address.host == "localhost"
            return Finding(
                isOwn ? .info : .error, "tls",
                "The base URL is without TLS: a federation takes that from addresses alone that its operator admits.",
                .index)
        }
        if result.reason == .tls { return Finding(.error, "tls", CrawlReason.tls.advice, .document) }
        return result.reason == nil ? Finding(.ok, "tls", "The certificate is good for this host.", .document) : nil
    }

    /// Where apps are sent: as safe as the base, and somebody there.
    private func links(_ document: ServiceDocument) async throws -> [Finding] {
        var findings: [Finding] = []
        let home = WebAddress(base)
        for api in document.apis.prefix(DocumentCheck.linksAsked) {
            guard let address = WebAddress(api.link) else { continue }
            if home?.scheme == "https", address.scheme == "http" {
                findings.append(
                    Finding(
                        .error, "link-plain", "The link of \(api.name) is without TLS, and tokens go there: use https.",
                        .document, evidence: api.link))
                continue
            }
            if address.origin != home?.origin {
                findings.append(
                    Finding(
                        .warning, "link-elsewhere",
                        "The link of \(api.name) leads to another origin: tokens of this service go there. See that it "
                            + "is yours, and that it hears of endings.",
                        .document, evidence: api.link))
            }
            findings += try await presence(api)
        }
        if !findings.contains(where: { $0.severity == .error || $0.severity == .warning }) {
            findings.append(Finding(.ok, "links", "The links of the document lead to this service.", .document))
        }
        return findings
    }

    /// Any answer but a server's failure will do: what a protocol answers without a token is its own affair.
    private func presence(_ api: ServiceAPI) async throws -> [Finding] {
        do {
            let answer = try await transport.send(.get(api.link))
            guard answer.status >= 500 else { return [] }
            return [
                Finding(
                    .warning, "link-broken", "The link of \(api.name) answers a GET with a failure of the server.",
                    .document, evidence: "\(api.link) \(answer.status)")
            ]
        } catch let error as CancellationError {
            throw error
        } catch {
            return [
                Finding(
                    .error, "link-dead",
                    "Nobody answers at the link of \(api.name): correct it, or start what is there.",
                    .document, evidence: "\(api.link) \(error)")
            ]
        }
    }
}
