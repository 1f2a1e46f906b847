import Base

/// One thing that was looked at: how it is, what to do about it, and where the contract says so.
public struct Finding: Sendable, Equatable {
    /// What services say has no end of its own, and stands in both.
    private static let longest = (text: 1_000, evidence: 300)

    public enum Severity: String, Sendable, CaseIterable {
        /// Against the contract: apps fail, or somebody gets what is not theirs.
        case error
        /// Works, and should be otherwise.
        case warning
        /// Could not be looked at, or is good to know.
        case info
        case ok
    }

    /// A stable word for scripts.
    public let id: String
    public let severity: Severity
    /// A sentence for people.
    public let text: String
    public let section: Contract
    /// What came, in the words of the service.
    public let evidence: String?

    public init(
        _ severity: Severity, _ id: String, _ text: String, _ section: Contract, evidence: String? = nil
    ) {
        (self.severity, self.id, self.section) = (severity, id, section)
        self.text = String(text.prefix(Finding.longest.text))
        self.evidence = evidence.map { String($0.prefix(Finding.longest.evidence)) }
    }

    public var json: JSONValue {
        [
            "id": .string(id), "severity": .string(severity.rawValue), "text": .string(text),
            "section": .string(section.rawValue), "evidence": JSONValue(evidence),
        ]
    }
}

/// The sections by which services are judged.
public enum Contract: String, Sendable, CaseIterable {
    case document = "docs/join-the-federation.md, \"1. Publish an RSD2 document\""
    case index = "docs/join-the-federation.md, \"2. Be entered in the index\""
    case assertion = "docs/join-the-federation.md, \"3. Take an assertion\""
    case tokens = "docs/join-the-federation.md, \"4. Issue a service token and app tokens\""
    case endings = "docs/join-the-federation.md, \"5. Hear of endings\""
    case policy = "docs/join-the-federation.md, \"Which apps you take\""
    case push = "docs/events.md, \"Push\""
    case check = "docs/join-the-federation.md, \"Check your service\""
}
