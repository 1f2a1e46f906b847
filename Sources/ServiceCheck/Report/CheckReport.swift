import Base

/// What a check found, for people and for scripts.
public struct CheckReport: Sendable {
    public let base: String
    /// `nil` where no document told it.
    public let tokenEndpoint: String?
    /// Where good assertions came from: `none`, `own`, `federation`.
    public let assertions: String
    public let findings: [Finding]

    public func count(_ severity: Finding.Severity) -> Int { findings.count { $0.severity == severity } }
    public var hasErrors: Bool { count(.error) > 0 }

    public var json: JSONObject {
        [
            "service": .string(base), "token_endpoint": JSONValue(tokenEndpoint), "assertions": .string(assertions),
            "errors": .integer(count(.error)), "warnings": .integer(count(.warning)),
            "findings": .array(findings.map(\.json)),
        ]
    }

    /// Lines, gravest first. What services say comes as they say it: whoever prints this makes it harmless.
    public var lines: [String] {
        var lines = ["\(base)  token endpoint \(tokenEndpoint ?? "unknown")"]
        for (severity, title) in CheckReport.titles where count(severity) > 0 {
            lines += ["", title]
            for finding in findings where finding.severity == severity {
                lines.append("  \(finding.id): \(finding.text)")
                if let evidence = finding.evidence { lines.append("      came: \(evidence)") }
                if severity != .ok { lines.append("      see: \(finding.section.rawValue)") }
            }
        }
        return lines + ["", "\(count(.error)) errors, \(count(.warning)) warnings, \(count(.ok)) good"]
    }

    private static let titles: [(Finding.Severity, String)] = [
        (.error, "Wrong:"), (.warning, "Should be otherwise:"), (.info, "To know:"), (.ok, "Good:"),
    ]
}
