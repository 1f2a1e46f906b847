import Database

/// Which things a list shows, by whose they are.
public struct InstitutionFilter: Sendable, Equatable {
    /// Only those of this institution; an empty text: only those of none; `nil`: of any.
    public let institution: String?
    /// What whoever asks may see: things of these institutions, and these services; `nil`: everything.
    public let visible: Visible?

    public struct Visible: Sendable, Equatable {
        public let institutions: [String]
        public let services: [String]

        public init(institutions: [String], services: [String]) {
            (self.institutions, self.services) = (institutions, services)
        }
    }

    public static let everything = InstitutionFilter()

    public init(_ institution: String? = nil, visible: Visible? = nil) {
        (self.institution, self.visible) = (institution, visible)
    }

    /// Of a thing whose institution stands in `column`; where it is one of a service, whose id stands in `service`.
    public func condition(_ column: SQL, service: SQL? = nil) -> SQL {
        var parts: [SQL] = []
        if let institution {
            parts.append(institution.isEmpty ? "\(column) is null" : "\(column) = \(institution)")
        }
        if let visible {
            let theirs: SQL = "\(column) = any (\(visible.institutions))"
            parts.append(service.map { "(\(theirs) or \($0) = any (\(visible.services)))" } ?? theirs)
        }
        return parts.isEmpty ? "true" : parts.joined(separator: " and ")
    }
}
