import Administration
import Base
import Crawler

/// `crawl run --dry-run` for people: what was asked, what came, what Pando would keep, and what to do about it.
enum CrawlReport {
    static func text(_ result: CrawlResult) -> String {
        var lines = ["\(result.service)  \(result.base)", "", "Asked:"]
        lines += result.trail.isEmpty ? ["  nothing"] : result.trail.enumerated().map { "  \($0 + 1). " + step($1) }
        lines += ["", "Outcome: \(verdict(result))"]
        if let detail = result.detail { lines.append("  " + detail) }
        if !result.advice.isEmpty { lines += ["", "What to do:"] + result.advice.map { "  - " + $0 } }
        if !result.protocols.isEmpty { lines += ["", "Protocols: " + result.protocols.joined(separator: ", ")] }
        if !result.added.isEmpty { lines.append("  new: " + result.added.joined(separator: ", ")) }
        if !result.removed.isEmpty { lines.append("  gone: " + result.removed.joined(separator: ", ")) }
        let document = result.document.map { ["", "Pando would read:"] + indented($0) } ?? []
        return (lines + document).map { PlainText.harmless($0) }.joined(separator: "\n")
    }

    private static func step(_ step: CrawlStep) -> String {
        let came = [step.status.map { String($0) }, step.reason?.rawValue].compactMap { $0 }.joined(separator: " ")
        return "\(step.source.rawValue)  \(step.url)  \(came)  \(step.tookMS) ms"
    }

    private static func verdict(_ result: CrawlResult) -> String {
        switch result.outcome {
        case .changed:
            "a document was found (\(result.source?.rawValue ?? "–")) and would be kept; state \(result.state.rawValue)"
        case .unchanged: "the document is the one that is known; state \(result.state.rawValue)"
        case .failed: "no document (\(result.reason?.rawValue ?? "–")); state \(result.state.rawValue)"
        }
    }

    private static func indented(_ document: JSONValue) -> [String] {
        document.prettyText.split(separator: "\n").map { "  " + $0 }
    }
}
