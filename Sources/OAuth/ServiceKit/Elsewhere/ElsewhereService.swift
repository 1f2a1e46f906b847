import Base
import Database
import Federation
import TokenTree

/// What a service has besides that lives at another server than its issuer's (docs/roles-apart.md).
public struct ElsewhereService: Sendable {
    /// How it hears of what has ended.
    public enum Hearing: String, Sendable, CaseIterable {
        /// Events are posted to it (RFC 8935); what was missed is asked for.
        case push
        /// It asks (RFC 8936): for where the issuer cannot reach it.
        case poll
    }

    public let issuer: IssuerConnection
    public let hearing: Hearing
    private let policies: AppPolicyStore
    private let index: ServiceIndex

    public init(issuer: IssuerConnection, hearing: Hearing, policies: AppPolicyStore, index: ServiceIndex) {
        (self.issuer, self.hearing, self.policies, self.index) = (issuer, hearing, policies, index)
    }

    /// Takes only those apps from now on which the policy takes that the issuer has of this service; what others hold
    /// ends.
    func obey(_ policy: AppPolicy, of service: String, in transaction: any SQLExecutor) async throws {
        guard let entry = try await index.find(service, in: transaction) else { return }
        let actor = AuditActor(name: "issuer:\(issuer.issuer)", reason: "the policy of this service there")
        _ = try await policies.change(entry, by: actor, in: transaction) { _ in policy }
    }
}
