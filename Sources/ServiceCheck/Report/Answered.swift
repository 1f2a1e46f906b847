import Foundation
import PandoClient

/// How a service answered what it should have refused, or taken.
enum Answered {
    private static let most = 200

    /// Status and words of an answer, in one line. No token goes into a report.
    static func words(_ answer: Transport.Response) -> String {
        let refusal = OAuthError(answer)
        if answer.isGood { return "\(answer.status)" }
        let json = (try? JSON(bytes: answer.body))?.object ?? [:]
        let word = refusal.code?.rawValue ?? json["err"]?.string
        let detail = refusal.detail ?? json["description"]?.string
        return String([String(answer.status), word, detail].compactMap(\.self).joined(separator: " ").prefix(most))
    }

    /// The finding for `what`, which must have been refused with an error of OAuth (RFC 6749, 5.2).
    /// - Parameters:
    ///   - danger: what follows where it is taken, and what to do.
    ///   - codes: words that fit; others are a warning.
    static func refusal(
        _ answer: Transport.Response, _ id: String, _ what: String, danger: String, codes: Set<String>,
        _ section: Contract
    ) -> Finding {
        let came = words(answer)
        switch answer.status {
        case 200..<300:
            return Finding(.error, id, "The service takes \(what): \(danger)", section, evidence: came)
        case 503 where OAuthError(answer).code == .temporarilyUnavailable:
            return Finding(
                .warning, id + "-away", "Asked with \(what), the service cannot answer now: can it reach its issuer?",
                section, evidence: came)
        case 500...:
            return Finding(
                .error, id + "-crash",
                "The service breaks at \(what): catch what cannot be read, and answer 400 with an error in JSON.",
                section, evidence: came)
        case 429:
            return Finding(
                .warning, id + "-slow", "The service had enough of being asked before it judged \(what).", section,
                evidence: came)
        // RFC 9110, 15.5.14: said by whoever reads the request, long before OAuth.
        case 413: return Finding(.ok, id, "The service refuses \(what).", section)
        case 400..<500: return shape(answer, id, what, codes: codes, section)
        default:
            return Finding(
                .warning, id + "-shape",
                "The service answers \(what) with status \(answer.status): 400 with an error in JSON is understood.",
                section, evidence: came)
        }
    }

    private static func shape(
        _ answer: Transport.Response, _ id: String, _ what: String, codes: Set<String>, _ section: Contract
    ) -> Finding {
        guard let code = OAuthError(answer).code?.rawValue else {
            return Finding(
                .warning, id + "-shape",
                "The service refuses \(what) without saying why: answer JSON with a member error (RFC 6749, 5.2).",
                section, evidence: words(answer))
        }
        guard codes.contains(code) else {
            return Finding(
                .warning, id + "-code",
                "The service refuses \(what) as \(code); apps understand \(codes.sorted().joined(separator: " or ")).",
                section, evidence: words(answer))
        }
        return Finding(.ok, id, "The service refuses \(what).", section)
    }

    /// What could not be sent, or was not answered.
    static func silence(_ error: any Error, _ id: String, _ what: String, _ section: Contract) -> Finding {
        Finding(
            .error, id + "-silent", "The service does not answer \(what): see that it runs, and that it is reached.",
            section, evidence: String("\(error)".prefix(most)))
    }
}
