import Accounts
import Base
import Database
import Federation
import Foundation
import Registration
import TokenTree
import Vocabulary

/// `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628, 3.4 and 3.5): the device asks until its person has
/// decided.
public struct DeviceCodeGrant: Grant {
    public let type = GrantType.deviceCode
    let store: TokenStore
    let accounts: AccountStore
    let clients: WebClientStore
    let consents: ConsentStore
    let answers: WebTokenAnswer
    let lifetimes: Lifetimes
    let clock: WallClock

    private struct Poll: Sendable {
        let status: String
        let isExpired: Bool
        let isTooFast: Bool
        /// Who decided; set once, with the decision.
        let account: UUID?
        /// What it is for.
        let wanted: DeviceAuthorization.Wanted
    }

    /// RFC 8628, 3.4.
    public struct Request: Sendable {
        let deviceCode: String
        let resource: String?
    }

    public func read(_ parameters: OAuthParameters) throws -> Request {
        Request(deviceCode: try parameters.required("device_code"), resource: try parameters["resource"])
    }

    public func issue(_ request: Request, to caller: AuthenticatedClient) async throws -> TokenResponse {
        guard let client = caller.client else {
            throw OAuthError(
                .invalidClient, "authenticate as the client that began this; a public one names its client_id")
        }
        guard client.grantTypes.contains(type.rawValue) else {
            throw OAuthError(.unauthorizedClient, "this client is not registered for the device grant")
        }
        let device = Digest.sha256(request.deviceCode)
        guard let poll = try await poll(device, client) else { throw refused }
        if poll.status == "denied" { throw OAuthError(.accessDenied, "the person did not agree", status: 400) }
        if poll.status == "used" { throw refused }
        if poll.isExpired { throw OAuthError(.expiredToken, "nobody agreed in time; begin again") }
        if poll.isTooFast {
            throw OAuthError(.tooManyAttempts, "you ask too often: wait five seconds longer each time", status: 400)
        }
        guard poll.status == "approved", let account = poll.account else {
            throw OAuthError(.authorizationPending, "the person has not decided yet")
        }
        // RFC 8707, 2.2: what the person decided about was for this server, or for a part of it.
        let base = answers.writer.realm.base
        _ = try TokenClaims(audience: poll.wanted.resource?.url(base)).target(request.resource, at: base)
        let binding = try TokenBinding(client, caller)
        let (issued, person) = try await store.database.settling { transaction in
            try await redeem(device, client, account, binding, in: transaction)
        }
        return try await answers.respond(issued, to: client, person: person)
    }

    /// Every question is noted; one that comes before its time makes the interval longer.
    private func poll(_ device: [UInt8], _ client: WebClient) async throws -> Poll? {
        let now = clock.now()
        return try await store.database.query(
            """
            with before as (
                select d.device, d.last_poll is not null and \(now)::timestamptz < d.last_poll + d.interval_s *
                    interval '1 second' as too_fast
                from device_authorization d where d.device = \(device) and d.client = \(client.id) for update
            )
            update device_authorization d set last_poll = \(now), interval_s = d.interval_s + case
                when b.too_fast then 5 else 0 end
            from before b where d.device = b.device
            returning d.status, d.expires_at <= \(now) as is_expired, b.too_fast, d.account, d.parameters
            """
        ).first.map {
            Poll(
                status: try $0("status"), isExpired: try $0("is_expired"), isTooFast: try $0("too_fast"),
                account: try $0("account"), wanted: DeviceAuthorization.Wanted(try $0("parameters")))
        }
    }

    /// What the person decided is looked at again under lock, for it may have ended since: the client and its scopes,
    /// the person, their consent, and by the lineage of the row all that it has hung from since then. In the order of
    /// locks of `DeviceAuthorization.approve`, the row itself last.
    private func redeem(
        _ device: [UInt8], _ client: WebClient, _ account: UUID, _ binding: TokenBinding,
        in transaction: any SQLExecutor
    ) async throws -> Outcome<(IssuedToken, Account)> {
        let asked = try await transaction.query("select parameters from device_authorization where device = \(device)")
            .first
        guard let parameters: JSONValue = try asked?("parameters"), let scope = Scope(parameters["scope"]?.string ?? "")
        else { return .refused(refused) }
        guard let present = try await clients.offered(type, scope: scope, to: client.id, in: transaction) else {
            return .refused(refused(because: "the client is no longer registered for this"))
        }
        guard let person = try await accounts.find(account, locking: true, in: transaction), person.status == .active
        else {
            return .refused(refused(because: "the person may no longer log in"))
        }
        guard
            try await consents.covers(
                account, client.id, scopes: scope.names, claims: [], services: [], locking: true, in: transaction)
        else {
            return .refused(refused(because: "the person has withdrawn their consent"))
        }
        let rows = try await transaction.query(
            """
            update device_authorization d set status = 'used'
            where d.device = \(device) and d.client = \(client.id) and d.account = \(account)
                and d.status = 'approved' and d.expires_at > \(clock.now())
            returning d.approval, d.lineage, d.anchor
            """)
        guard let row = rows.first, let anchor: NodeID = try row("anchor") else { return .refused(refused) }
        let (approval, lineage): (JSONValue, [NodeID]) = (try row("approval"), try row("lineage"))
        let refresh =
            present.grantTypes.contains(GrantType.refreshToken.rawValue)
            ? TokenDraft.Refresh(idle: present.lifetimes.refresh(usual: lifetimes.webIdle)) : nil
        let body = TokenBody(
            realm: "idp", kind: .accessToken, parent: nil, anchor: anchor, account: account, client: client.id,
            scope: scope.description, jkt: binding.key?.jkt,
            claims: binding.claims(try TokenClaims(approval.object ?? [:])))
        do {
            // Inherited, not added: what was revoked since the decision is not opened anew.
            let used = ServiceUsage(clock: clock).recording(account, by: client.id, at: body.claims.audience)
            let draft = TokenDraft(
                body, inherited: lineage,
                lifetime: present.lifetimes.accessToken(usual: lifetimes.accessToken), refresh: refresh, beside: used)
            return .done((try await store.issue(draft, in: transaction), person))
        } catch is AncestorRevoked {
            return .refused(refused(because: "what the person decided has been ended"))
        }
    }

    private var refused: OAuthError {
        OAuthError(.invalidGrant, "the device code is unknown, was used, or belongs to another client")
    }

    private func refused(because cause: String) -> OAuthError {
        OAuthError(.invalidGrant, "the device code was refused: \(cause)", cause: cause)
    }
}
