import Foundation
import PandoClient

/// What a browser may do for web applications at the token endpoint (CORS, the Fetch standard).
struct BrowserCheck: Sendable {
    private static let stranger = "https://nobody-knows-this.example"
    private static let headers = ["authorization", "content-type", "dpop"]

    let context: CheckContext

    func run() async throws -> [Finding] {
        let strange = try await preflight(BrowserCheck.stranger)
        var findings = [try credentials(strange)]
        guard let origin = context.origin else {
            let isOpen = strange?.header("Access-Control-Allow-Origin") != nil
            let says =
                isOpen
                ? "Web applications of any origin may ask the token endpoint: sound, as its tokens are bound to keys."
                : "Web applications may not ask the token endpoint, but for origins not tried here: --origin tries one."
            findings.append(Finding(.info, "cors", says, .tokens))
            return findings
        }
        findings.append(try admitted(try await preflight(origin), origin))
        return findings
    }

    /// `nil` where nobody answered, which the other checks tell.
    private func preflight(_ origin: String) async throws -> Transport.Response? {
        let request = Transport.Request(
            method: "OPTIONS", url: context.tokenEndpoint,
            headers: [
                ("Origin", origin), ("Access-Control-Request-Method", "POST"),
                ("Access-Control-Request-Headers", BrowserCheck.headers.joined(separator: ",")),
            ])
        do { return try await context.transport.send(request) } catch let error as CancellationError {
            throw error
        } catch { return nil }
    }

    private func credentials(_ answer: Transport.Response?) throws -> Finding {
        guard let answer else {
            return Finding(.warning, "cors-silent", "The token endpoint does not answer OPTIONS.", .tokens)
        }
        if answer.status >= 500 {
            return Finding(
                .warning, "cors-crash", "The service breaks at a preflight (OPTIONS): answer 204, or 405 with Allow.",
                .tokens, evidence: "\(answer.status)")
        }
        let allowed = answer.header("Access-Control-Allow-Origin")
        let isWithCookies = answer.header("Access-Control-Allow-Credentials")?.lowercased() == "true"
        guard isWithCookies, allowed == "*" || allowed == BrowserCheck.stranger else {
            return Finding(
                .ok, "cors-credentials", "No page of a stranger may use a person's cookies at the token endpoint.",
                .tokens)
        }
        return Finding(
            .error, "cors-credentials",
            "Every web page may ask the token endpoint with the person's cookies: leave out "
                + "Access-Control-Allow-Credentials, or name the origins that you know.",
            .tokens, evidence: "Access-Control-Allow-Origin: \(allowed ?? "")")
    }

    private func admitted(_ answer: Transport.Response?, _ origin: String) throws -> Finding {
        let allowed = answer?.header("Access-Control-Allow-Origin")
        guard let answer, allowed == "*" || allowed == origin else {
            return Finding(
                .error, "cors-origin",
                "A web application at \(origin) may not ask the token endpoint: answer its preflight with "
                    + "Access-Control-Allow-Origin.",
                .tokens, evidence: allowed)
        }
        let headers = answer.header("Access-Control-Allow-Headers") ?? ""
        let named = headers.split(separator: ",").map { $0.lowercased().trimmingCharacters(in: .whitespaces) }
        // A star does not cover Authorization (Fetch, 3.2.5).
        let missing = BrowserCheck.headers.filter { name in
            !named.contains(name) && (name == "authorization" || !named.contains("*"))
        }
        guard missing.isEmpty else {
            return Finding(
                .error, "cors-headers",
                "A web application may not send \(missing.joined(separator: ", ")): name them in "
                    + "Access-Control-Allow-Headers.",
                .tokens, evidence: headers)
        }
        return Finding(.ok, "cors-origin", "Web applications at \(origin) may ask the token endpoint.", .tokens)
    }
}
