import Base
import Database
import Foundation
import TokenTree

/// tiqr for the people of this IdP: phones are identities of owner `house`, whose `external_id` is the account's UUID
/// in lower case. One right answer shows the phone and its PIN, which the server alone can tell to be right: so it is
/// two factors (RFC 8176: `mfa` with `swk`, or with `otp` where it was typed).
///
/// A phone counts as enrolled once it answered rightly; see `ApprovalPhones` for what a person may do with theirs.
public struct TiqrLogin: Sendable {
    /// As the IdP calls the factor that such a phone is at a login.
    public static let factor = "tiqr"

    let tiqr: TiqrService

    public init(_ tiqr: TiqrService) { self.tiqr = tiqr }

    // MARK: Phones

    /// Most recently used first, then newest; those that never answered last.
    public func phones(of account: UUID) async throws -> [TiqrIdentity] {
        var phones: [TiqrIdentity] = [], after: String?
        repeat {
            let page = try await tiqr.identities(
                externalID: TiqrLogin.externalID(account), after: after, for: .identityProvider(.server))
            (phones, after) = (phones + page.identities, page.next)
        } while after != nil
        func rank(_ phone: TiqrIdentity) -> (Date, Date, String) {
            (phone.lastLoginAt ?? Date.distantPast, phone.createdAt, phone.identity)
        }
        return phones.sorted { rank($0) > rank($1) }
    }

    public func isEnrolled(_ account: UUID, in executor: (any SQLExecutor)? = nil) async throws -> Bool {
        try await !(executor ?? tiqr.database).query(
            """
            select i.identity from tiqr_identity i
            where i.owner = 'house' and i.external_id = \(TiqrLogin.externalID(account))
                and i.last_login_at is not null limit 1
            """
        ).isEmpty
    }

    // MARK: Logging in

    /// Asks `account`'s phone: the named one, else the most recently used. Without an account whoever answers is let
    /// in. `serviceProvider` is what iOS shows. `push` where the caller may ring this phone (Accounts,
    /// `PushAllowance`). `lineage` is that of the session or app in which the person is asked; none where nobody is
    /// known. `asksNumber`: whoever asks can tell the number of a push, if this server wants it. Throws
    /// `TiqrRefusal.notFound` where there is no such phone.
    public func begin(
        _ account: UUID?, phone identity: String?, to serviceProvider: String?, push: Bool, asksNumber: Bool = false,
        below lineage: [NodeID],
        actor: AuditActor
    ) async throws -> StartedAuthentication {
        let phone: TiqrIdentity? = if let account { try await self.phone(identity, of: account) } else { nil }
        let draft = AuthenticationDraft(
            identity: phone?.identity, serviceProvider: ShownText.fit(serviceProvider), push: push && phone != nil,
            asksNumber: asksNumber && tiqr.settings.numberMatching == .push)
        return try await tiqr.startAuthentication(draft, by: .identityProvider(actor, below: lineage))
    }

    /// The same links again, for the page.
    public func shown(_ id: String) async throws -> StartedAuthentication {
        StartedAuthentication(view: try await state(id), push: .none, links: tiqr.links)
    }

    public func state(_ id: String) async throws -> AuthenticationView {
        try await tiqr.authentication(id, for: .identityProvider(.server))
    }

    public func wait(_ id: String, unlike etag: String?, within seconds: Int) async throws -> AuthenticationView {
        try await tiqr.authentication(id, for: .identityProvider(.server), unlike: etag, within: seconds)
    }

    /// What an offline phone shows, typed by its user; `identity` where the authentication names none. Throws
    /// `TiqrRefusal`.
    public func answer(
        _ id: String, otp: String, identity: String?, actor: AuditActor
    ) async throws -> AuthenticationView {
        try await tiqr.answer(id, otp: otp, identity: identity, for: .identityProvider(actor))
    }

    /// Nobody can answer it any more; what is over already stays as it is.
    public func cancel(_ id: String, actor: AuditActor) async throws {
        do { try await tiqr.cancelAuthentication(id, for: .identityProvider(actor)) } catch TiqrRefusal.conflict {
            return
        }
    }

    /// Whether the phone that a login still waits for, or for whose number it waits, is blocked.
    func isBlocked(_ view: AuthenticationView) async throws -> Bool {
        guard view.status == .pending || view.status == .authenticated && !view.isMatched,
            let identity = view.identity
        else { return false }
        do {
            return try await tiqr.identityStore.find(identity, for: .identityProvider(.server), in: tiqr.database)
                .status
                == .blocked
        } catch TiqrRefusal.notFound {
            return false
        }
    }

    /// Whose phone answered, as it was then; `nil` unless somebody did.
    public func person(_ view: AuthenticationView) -> UUID? {
        view.status == .authenticated ? view.externalID.flatMap { UUID(uuidString: $0) } : nil
    }

    /// The same, if the number of a push was told, and that phone is still theirs and not blocked now: between the
    /// answer and the end of a login a lost phone may have been removed.
    public func standing(_ view: AuthenticationView) async throws -> UUID? {
        guard view.isMatched, let person = person(view), let identity = view.identity else { return nil }
        return try await phones(of: person).contains { $0.identity == identity && $0.status != .blocked } ? person : nil
    }

    /// Whether the phone that answered is this account's and not blocked, asked in the transaction of the login. Held
    /// until that ends, so that whoever removes it waits.
    public func isStanding(
        _ view: AuthenticationView, of account: UUID, in transaction: any SQLExecutor
    ) async throws -> Bool {
        guard view.isMatched, person(view) == account, let identity = view.identity else { return false }
        let held = try await transaction.query(
            """
            select i.identity from tiqr_identity i
            where i.identity = \(identity) and i.owner = 'house'
                and i.external_id = \(TiqrLogin.externalID(account)) for share
            """)
        guard !held.isEmpty else { return false }
        return try await tiqr.identityStore.find(identity, for: .identityProvider(.server), in: transaction).status
            != .blocked
    }

    /// RFC 8176 words of a right answer.
    public func methods(_ view: AuthenticationView) -> [String] {
        view.method == .otp ? ["mfa", "otp"] : ["mfa", "swk"]
    }

    private func phone(_ identity: String?, of account: UUID) async throws -> TiqrIdentity {
        let phones = try await phones(of: account)
        guard
            let phone = identity.map({ name in phones.first { $0.identity == name } })
                ?? phones.first(where: { $0.lastLoginAt != nil })
        else {
            throw TiqrRefusal.notFound("there is no such phone")
        }
        return phone
    }

    /// Seconds until a blocked phone is asked again; `nil` for a block without end, 0 when there is none.
    public func secondsBlocked(_ phone: TiqrIdentity) -> Int? {
        guard phone.status == .blocked else { return 0 }
        // To the millisecond: PostgreSQL's rounding must not make eleven minutes of ten.
        return phone.blockedUntil.map {
            max(1, Int((($0.timeIntervalSince(tiqr.clock.now()) * 1_000).rounded() / 1_000).rounded(.up)))
        }
    }

    static func externalID(_ account: UUID) -> String { account.uuidString.lowercased() }
}
