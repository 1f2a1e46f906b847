import Base
import Database
import Foundation

/// What becomes of a service's endpoints by a crawl, for its row, the audit trail and its history.
struct EndpointMove: Sendable {
    private let endpoints: ServiceEndpoints
    /// By the name of the member of the audit row.
    let changes: [(name: String, change: (from: String?, to: String?))]

    /// `nil` when they stay as they are.
    init?(token: String, revocation: String?, to endpoints: ServiceEndpoints?) {
        guard let endpoints else { return nil }
        var changes: [(name: String, change: (from: String?, to: String?))] = []
        if token != endpoints.token { changes.append(("token_endpoint", (token, endpoints.token))) }
        if revocation != endpoints.revocation {
            changes.append(("revocation_endpoint", (revocation, endpoints.revocation)))
        }
        guard !changes.isEmpty else { return nil }
        (self.endpoints, self.changes) = (endpoints, changes)
    }

    /// One line for people.
    var text: String {
        changes.map { name, change in "\(name) from \(change.from ?? "none") to \(change.to ?? "none")" }.joined(
            separator: ", ")
    }

    func statement(for service: String, at now: Date) -> SQL {
        """
        update service set token_endpoint = \(endpoints.token),
            revocation_endpoint = \(endpoints.revocation as String?), changed_at = \(now)
        where id = \(service)
        """
    }
}
