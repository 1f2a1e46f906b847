import Testing

/// A right request with one thing wrong, and what it gets: status and code, and a word of the description, so that the
/// branch is known.
struct Spoilt<Subject>: Sendable, CustomTestStringConvertible {
    let what: String
    let outcome: String
    let why: String
    let change: @Sendable (inout Subject) throws -> Void

    init(
        _ what: String, _ outcome: String, _ why: String = "",
        _ change: @escaping @Sendable (inout Subject) throws -> Void
    ) {
        (self.what, self.outcome, self.why, self.change) = (what, outcome, why, change)
    }

    var testDescription: String { what }

    func applied(to subject: Subject) throws -> Subject {
        var subject = subject
        try change(&subject)
        return subject
    }
}
