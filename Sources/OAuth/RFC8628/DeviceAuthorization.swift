import Accounts
import Base
import Database
import Federation
import Foundation
import Registration
import TokenTree
import Vocabulary

/// Devices without a browser (RFC 8628, 3.1 to 3.3).
public final class DeviceAuthorization: Sendable {
    static let lifetime: TimeInterval = 600
    static let interval = 5

    /// What waits for a person's word.
    public struct Waiting: Sendable {
        public let code: UserCode
        public let client: WebClient
        public let scope: Scope
        /// Seconds since when a login must be at most; `nil`: however old.
        let maxAge: Int?
        /// The resource of this server that it is for; `nil` for its issuer.
        let resource: OwnResource?
        /// When the device asked.
        let askedAt: Date
    }

    let issuer: String
    let database: Database
    let store: TokenStore
    let authentication: ClientAuthentication
    let clients: WebClientStore
    let consents: ConsentStore
    let attempts: AttemptLimit
    let pace: AnonymousRateLimit
    let clock: WallClock
    let randomness: Randomness

    init(
        issuer: String, database: Database, store: TokenStore, authentication: ClientAuthentication,
        clients: WebClientStore, consents: ConsentStore, attempts: AttemptLimit, pace: AnonymousRateLimit,
        clock: WallClock, randomness: Randomness
    ) {
        (self.issuer, self.database, self.store, self.authentication) = (issuer, database, store, authentication)
        (self.clients, self.consents, self.attempts, self.pace) = (clients, consents, attempts, pace)
        (self.clock, self.randomness) = (clock, randomness)
    }

    /// `POST /device_authorization`.
    public func begin(_ request: PresentedRequest, _ parameters: OAuthParameters) async throws -> JSONValue {
        guard let client = try await authentication.authenticate(request, parameters, allowingPublic: true) else {
            throw OAuthError(.invalidClient, "authenticate as a client; a public one names its client_id")
        }
        guard client.grantTypes.contains(GrantType.deviceCode.rawValue) else {
            throw OAuthError(.unauthorizedClient, "this client is not registered for the device grant")
        }
        let scope = try RequestedScope.narrowed(try parameters["scope"], to: client)
        let wanted = try DeviceAuthorization.Wanted(parameters, scope, at: issuer)
        if client.authMethod == .none { try pace.take(.request, from: request.origin) }
        let device = randomness.secretText(), code = UserCode(randomness), now = clock.now()
        _ = try await database.execute(
            """
            insert into device_authorization (device, user_code, client, parameters, interval_s, created_at, expires_at)
            values (\(Digest.sha256(device)), \(code.hash), \(client.id),
                \(wanted.json), \(DeviceAuthorization.interval), \(now),
                    \(now.addingTimeInterval(DeviceAuthorization.lifetime)))
            """)
        return [
            "device_code": .string(device), "user_code": .string(code.text),
            "verification_uri": .string("\(issuer)/device"),
            "verification_uri_complete": .string("\(issuer)/device?user_code=\(code.text)"),
            "expires_in": .integer(Int(DeviceAuthorization.lifetime)),
            "interval": .integer(DeviceAuthorization.interval),
        ]
    }

    /// What a typed code stands for. Guessing is slowed down per person (RFC 8628, 5.1).
    public func find(
        _ typed: String, _ session: BrowserSession, _ context: BrowserSessionContext
    ) async throws -> Waiting? {
        guard let code = UserCode(typed: typed) else { return nil }
        let step = AttemptLimit.Step(
            subject: "device \(session.account.id.uuidString.lowercased())", free: 10, pause: 30)
        let counted: AttemptLimit.Counted
        switch try await attempts.count(step, in: database) {
        case .counted(let attempt): counted = attempt
        case .paused(let seconds):
            throw OAuthError(.tooManyAttempts, "too many codes; try again in \(seconds) seconds", retryAfter: seconds)
        }
        guard
            let row = try await database.query(
                """
                select client, parameters, created_at from device_authorization where user_code = \(code.hash)
                    and status = 'pending' and expires_at > \(clock.now())
                """
            ).first, let client = try await clients.find(try row("client"), in: database)
        else { return nil }
        // Itself alone: whoever has a device of their own has good codes at will, and would guess on for ever between
        // them.
        try await attempts.takeBack(counted, in: database)
        let parameters: JSONValue = try row("parameters")
        let wanted = Wanted(parameters)
        return Waiting(
            code: code, client: client, scope: wanted.scope, maxAge: wanted.maxAge, resource: wanted.resource,
            askedAt: try row("created_at"))
    }

    /// The person's login is older than the device asks for. One that came after the device asked is new, whatever it
    /// says: else an age of nothing would be asked for on and on.
    public func wantsNewLogin(_ waiting: Waiting, than session: BrowserSession) -> Bool {
        let latest = session.history.latest
        guard let maxAge = waiting.maxAge, latest < waiting.askedAt else { return false }
        return clock.now().timeIntervalSince(latest) > TimeInterval(maxAge)
    }

    /// It came too late: the code has expired or was decided, the client may no longer, or the login has ended. Rolls
    /// back what goes with a decision.
    private struct TooLate: Error {}

    /// The person is kept out of the service whose client began this.
    private struct Refused: Error {}

    /// The person's word; false when it came too late.
    func decide(
        _ waiting: Waiting, allow: Bool, subject: SubjectName, _ session: BrowserSession,
        _ context: BrowserSessionContext
    ) async throws -> Bool {
        guard allow else { return try await deny(waiting, session.account.id) }
        do {
            try await database.atomically { transaction in
                try await approve(waiting, subject: subject, session, context, in: transaction)
            }
            return true
        } catch is TooLate {
            return false
        } catch is Refused {
            // The device hears `access_denied`; for the person there is nothing left to decide.
            _ = try await deny(waiting, session.account.id)
            return false
        }
    }

    private func deny(_ waiting: Waiting, _ account: UUID) async throws -> Bool {
        try await database.execute(
            """
            update device_authorization set status = 'denied', account = \(account)
            where user_code = \(waiting.code.hash) and status = 'pending' and expires_at > \(clock.now())
            """) == 1
    }

    /// From here on the row is below grant, client and the password that opened the session, and whatever ends one of
    /// them reaches it: redeeming re-checks the lineage that is written now. The session is left out: a device outlives
    /// the browser it was approved in.
    ///
    /// Order of locks, as everywhere where something is granted: client, consent, tree, and then the row that all this
    /// is about.
    private func approve(
        _ waiting: Waiting, subject: SubjectName, _ session: BrowserSession, _ context: BrowserSessionContext,
        in transaction: any SQLExecutor
    ) async throws {
        let now = clock.now(), account = session.account.id, id = waiting.client.id
        guard let client = try await clients.offered(.deviceCode, scope: waiting.scope, to: id, in: transaction) else {
            throw TooLate()
        }
        let claims = ClaimsRelease(client: client).names(waiting.scope)
        try await consents.give(account, id, scopes: waiting.scope.names, claims: claims, services: [], in: transaction)
        let grant = ConsentStore.node(account, id)
        let own: String? = try await transaction.query(ServiceIndex.owned(by: id)).first.map { try $0("id") }
        let uses = own.map { [Ancestor.use(account, at: $0)] } ?? []
        let added = try await store.generations(of: [grant, Ancestor(.client, id)] + uses, in: transaction)
        if let own {
            // Behind the opening: who refuses holds the node before this looks, or after it has committed.
            let isAdmitted = try await transaction.query("select where \(ServiceRefusals.admits(account, at: own))")
            guard !isAdmitted.isEmpty else { throw Refused() }
        }
        try await store.hold(session.lineage + added, in: transaction)
        let decided = try await transaction.query(
            """
            update device_authorization d
            set status = 'approved', account = \(account), approval =
                \(approval(waiting, session, subject.of(account, at: client))),
                lineage = \(session.lineageOutliving(added)), anchor = \(added[1])
            where d.user_code = \(waiting.code.hash) and d.client = \(id) and d.status = 'pending'
                and d.expires_at > \(now)
              and not exists (select from revocation r where r.node = any (\(session.lineage + added)))
            returning d.client
            """)
        guard !decided.isEmpty else {
            let closed = try await transaction.query("select node from revocation where node = any (\(added))")
            // Grant or client was revoked between opening and holding: what is decided now is decided after, so it is
            // tried again under what is open then.
            throw closed.isEmpty ? TooLate() : DatabaseError.serialization
        }
        try await AuditTrail.write(
            AuditEntry(
                actor: context.actor(), action: "consent.device", node: grant.label, account: account,
                detail: ["scope": .string(waiting.scope.description)]), at: now, in: transaction)
        let told = Disclosures(clock: clock).recording(
            account, client: id, claims: claims, LoginClaims(shown(in: session, for: waiting)))
        _ = try await transaction.execute(told)
    }

    /// What tokens will tell of this login.
    private func approval(_ waiting: Waiting, _ session: BrowserSession, _ subject: String) -> JSONValue {
        .object(
            TokenClaims(
                subject: subject, audience: waiting.resource?.url(issuer),
                login: LoginClaims(shown(in: session, for: waiting))
            ).json)
    }

    /// Where a device asks for a login that is not old, two factors of this morning do not hide the password of a
    /// moment ago: as at `/authorize`.
    private func shown(in session: BrowserSession, for waiting: Waiting) -> AuthenticationContext {
        session.history.context(since: waiting.maxAge.map { clock.now().addingTimeInterval(-TimeInterval($0)) })
    }

    public func forget() async throws {
        _ = try await database.execute("delete from device_authorization where expires_at < \(clock.now())")
    }
}
