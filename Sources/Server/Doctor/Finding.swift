import Base

/// What `pando doctor` found of one thing, and what to do about it.
public struct Finding: Sendable, Equatable {
    public enum Status: String, Sendable { case ok, warning, error }

    public let name: String
    public let status: Status
    public let text: String
    /// What to do; `nil` where nothing is.
    public let advice: String?

    private init(_ name: String, _ status: Status, _ text: String, _ advice: String?) {
        (self.name, self.status, self.text, self.advice) = (name, status, text, advice)
    }

    static func ok(_ name: String, _ text: String) -> Finding { Finding(name, .ok, text, nil) }

    static func warning(_ name: String, _ text: String, do advice: String) -> Finding {
        Finding(name, .warning, text, advice)
    }

    static func error(_ name: String, _ text: String, do advice: String) -> Finding {
        Finding(name, .error, text, advice)
    }

    public var json: JSONValue {
        ["name": .string(name), "status": .string(status.rawValue), "text": .string(text), "advice": JSONValue(advice)]
    }
}
