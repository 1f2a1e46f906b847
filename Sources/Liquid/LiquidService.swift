import Base
import Database
import Foundation
import Logging
import TokenTree

/// The door of the room for wallets: what the routes at the host's root call. Throws `LiquidRefusal`; a database that
/// does not answer throws `DatabaseError`, so that it is 503 and never a refusal. Bodies are JSON that the caller has
/// read strictly (what is none is 400, decisions.md, liquid 13).
///
///     let presented = try await liquid.presented(cookie: …) // set `presented.newCookie` where there is one
///     try await liquid.attest(body, by: presented)           // 201, and set `cookie` of what it gives
///
/// Beside it a process runs `tidy()` now and then.
public struct LiquidService: Sendable {
    /// The cookie's name; wallets look for it.
    public static let cookieName = "connect.sid"

    let parts: LiquidServices
    /// What is behind `/socket.io/`. A process that serves it runs it.
    public let signalling: SignallingHub

    /// All but `limits` is what the server has anyway; deadlines of sockets go by `time`, which nobody sets, where
    /// there is one; `algod` where rekeyed accounts are to be known. `ended` of `revocation` is to call
    /// `SessionRevocations`.
    public init(
        store: TokenStore, revocation: Revocation, master: MasterKey, settings: LiquidSettings, algod: Algod? = nil,
        limits: SignallingLimits = .standard,
        clock: WallClock, time: WallClock? = nil, randomness: Randomness, logger: Logger
    ) {
        let sessions = LiquidSessionStore(
            store: store, revocation: revocation, cookies: SessionCookies(master: master),
            lifetime: settings.sessionLifetime,
            clock: clock, randomness: randomness)
        signalling = SignallingHub(
            database: store.database, sessions: SignallingSessions(sessions, in: store.database),
            key: master.derive("signalling sids"), limits: limits, clock: clock, time: time ?? clock,
            randomness: randomness, logger: logger)
        parts = LiquidServices(
            store: store, revocation: revocation, master: master, settings: settings, algod: algod,
            signals: signalling.signals, clock: clock,
            randomness: randomness, logger: logger)
    }

    public var settings: LiquidSettings { parts.settings }
    /// What signalling does with sessions.
    public var sessions: LiquidSessionStore { parts.sessions }

    // MARK: Sessions

    /// Who asks. `cookie` is the value of `connect.sid`, percent-encoded or not; `device` the User-Agent, `origin` the
    /// peer's address. `renewing`: whoever asks keeps what the answer sets.
    public func presented(
        cookie: String?, device: String? = nil, origin: String? = nil, renewing: Bool = false
    ) async throws -> PresentedSession {
        try await parts.sessions.presented(
            cookie: cookie, device: device, origin: origin, renewing: renewing, in: parts.database)
    }

    /// Whether this server wrote a value of `connect.sid`: applications on sibling hosts have cookies of that name too.
    public func wrote(cookie: String) -> Bool { parts.cookies.read(cookie) != nil }

    /// What `connect.sid` is to be set to by an answer that opens a socket: whoever lives by sockets alone comes with
    /// few requests, so each prolongs the cookie.
    public func cookie(opening presented: PresentedSession) -> String? {
        presented.newCookie
            ?? (presented.session != nil && presented.isCurrent ? parts.cookies.value(presented.sid) : nil)
    }

    /// GET /auth/user.
    public func user(_ presented: PresentedSession) async throws -> JSONValue {
        guard let wallet = presented.session?.wallet else { throw LiquidRefusal.forbidden }
        return try await parts.wallets.user(wallet, in: parts.database)
    }

    /// GET /auth/session: never a challenge.
    public func document(_ presented: PresentedSession) async throws -> JSONValue {
        guard let session = presented.session, let wallet = session.wallet else {
            return ["user": .null, "session": [:]]
        }
        let user = try await parts.wallets.user(wallet, in: parts.database)
        let document: JSONValue = [
            "wallet": .string(wallet), "credId": JSONValue(session.credential.map { Base64URL.encode($0) }),
            "expiresAt": .string(session.expiresAt.rfc3339),
        ]
        return ["user": user, "session": document]
    }

    /// GET /auth/logout. Gives the next cookie's value: the old one is dead.
    public func logOut(_ presented: PresentedSession) async throws -> String {
        if let session = presented.session {
            try await parts.database.atomically { transaction in
                // One that waits to be linked is anybody's: nothing hangs below it, and it leaves no trace.
                if try await parts.sessions.drop(waiting: session, in: transaction) { return }
                try await parts.revocation.revoke(
                    .virtual(session.node), by: presented.actor.because("logged out"), in: transaction)
            }
            await parts.signals.over([session.id])
        }
        return parts.cookies.value(SessionID(parts.randomness))
    }

    // MARK: Registering

    /// POST /attestation/request. `body` `nil`: none was sent.
    public func attestationOptions(_ body: JSONValue?, for presented: PresentedSession) async throws -> JSONValue {
        try await RegisterWallet(parts: parts).options(body, for: presented)
    }

    /// POST /attestation/response.
    public func attest(_ body: JSONValue, by presented: PresentedSession) async throws -> EnteredUser {
        try await RegisterWallet(parts: parts).finish(body, by: presented)
    }

    // MARK: Logging in

    /// POST /assertion/request/{credential}: the id as it stands in the path; without it any passkey of a wallet may
    /// answer.
    public func assertionOptions(_ credential: String?, for presented: PresentedSession) async throws -> JSONValue {
        try await LogInWallet(parts: parts).options(credential, for: presented)
    }

    /// POST /assertion/response.
    public func assert(_ body: JSONValue, by presented: PresentedSession) async throws -> EnteredUser {
        try await LogInWallet(parts: parts).finish(body, by: presented)
    }

    // MARK: Passkeys

    /// DELETE /auth/keys/{id}. Sessions that the passkey let in end, the asking one too if it is among them. A session
    /// that was linked only may not; nor may anybody end a passkey that an account is linked with.
    public func removeKey(_ id: String, by presented: PresentedSession) async throws {
        guard let session = presented.session, let wallet = session.wallet, session.entered == .credential else {
            throw LiquidRefusal.forbidden
        }
        guard let key = Base64URL.decode(id) else { throw LiquidRefusal.keyNotFound }
        let ended = try await parts.database.atomically { transaction -> [String]? in
            guard try await parts.sessions.hold(session, in: transaction) else { throw LiquidRefusal.forbidden }
            return try await parts.removePasskey(key, wallet: wallet, by: presented.actor, in: transaction)
        }
        guard let ended else { throw LiquidRefusal.keyNotFound }
        await parts.signals.over(ended)
    }

    // MARK: Signalling

    /// GET /services/liquid/ice.
    public func iceServers(_ presented: PresentedSession) throws -> JSONValue {
        try parts.iceServers.document(for: presented, at: parts.clock.now())
    }

    /// Bytes of one body at `/socket.io/`.
    public var longestBody: Int { signalling.limits.socket.maxPayload }

    /// Who opens a socket. `page` is the `Origin` of the request.
    public func signallingSession(_ presented: PresentedSession, page: String?) -> SignallingSession {
        let sessions = parts.sessions
        return SignallingSession(
            session: presented.id, isKept: presented.session != nil, origin: page, address: presented.origin
        ) { try await sessions.keep(presented, in: $0) }
    }

    // MARK: Operating

    /// Sessions below a virtual ancestor: whose sockets are to close when it is revoked. For the `ended` of
    /// `Revocation`, in the transaction that revokes.
    public func sessions(below ancestor: Ancestor, in executor: any SQLExecutor) async throws -> [String] {
        try await parts.sessions.below(ancestor, in: executor)
    }

    /// Deletes what has been over for long.
    public func tidy() async throws {
        try await LiquidTidying(clock: parts.clock).tidy(in: parts.database)
        // A process may run without the people's side of passkeys.
        try await parts.challenges.tidy(in: parts.database)
    }
}

/// A wallet was let in: 201 with `user`, and `connect.sid` gets the value `cookie`.
public struct EnteredUser: Sendable {
    public let user: JSONValue
    public let cookie: String
    /// The session that lives from now on.
    public let session: String
}
