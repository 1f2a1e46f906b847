import Accounts
import Base
import Database
import Foundation
import TokenTree
import Vocabulary

/// The second factor of a login without a browser. The password is answered by `factors` and an `auth_session`; that
/// and `factor` by what the app is to show, with another `auth_session`; that one, as often as need be, by the code.
final class FactorChallenge: Sendable {
    /// The instance that logs its person in.
    struct Requester: Sendable {
        let client: String
        let holder: AuthenticatedToken
        let challenge: CodeChallenge
        let origin: String?

        /// What a factor hears of it.
        var told: SecondFactor.Requester {
            SecondFactor.Requester(client: client, origin: origin, lineage: holder.token.lineage)
        }
        var actor: AuditActor { AuditActor(name: "instance:\(client)", origin: origin) }

        /// A login that is complete; `methods` of both its factors.
        func entry(_ event: AuthenticationEvent, _ methods: [String]) -> AuditEntry {
            AuditEntry(
                actor: actor, action: RefusedLogins.Action.app.rawValue, node: Ancestor(.instance, client).label,
                account: event.account.id,
                detail: ["methods": JSONValue(strings: methods)])
        }
    }

    let issuer: String
    let factors: [SecondFactor]
    let sessions: AuthSessions
    let accounts: AccountStore
    let events: AuthenticationEvents
    let oneTime: OneTimeStore
    let pushes: PushAllowance
    let codes: InstanceCode
    let refusals: RefusedLogins

    init(
        issuer: String, factors: [SecondFactor], sessions: AuthSessions, accounts: AccountStore,
        events: AuthenticationEvents, oneTime: OneTimeStore, pushes: PushAllowance, codes: InstanceCode,
        refusals: RefusedLogins
    ) {
        (self.issuer, self.factors, self.sessions, self.accounts) = (issuer, factors, sessions, accounts)
        (self.events, self.oneTime, self.pushes, self.codes) = (events, oneTime, pushes, codes)
        self.refusals = refusals
    }

    private var database: Database { codes.store.database }

    /// The one that the request shows; `nil` for a login that begins.
    func session(_ parameters: OAuthParameters, client: String) async throws -> AuthSession? {
        guard let text = try parameters["auth_session"] else { return nil }
        return try await sessions.read(text, client: client)
    }

    /// After the password. Throws where account or app ask for more; an app's mere wish of what the person does not
    /// have is passed over.
    func check(_ event: AuthenticationEvent, _ asker: Requester, levels: [AuthenticationContext.Level]) async throws {
        guard let demand = FactorDemand(event.account, levels: levels, of: factors) else { return }
        let enrolled = try await demand.enrolled(in: database)
        guard demand.isCondition || !enrolled.isEmpty else { return }
        let person = try await codes.store.generations(of: [
            Ancestor(.account, event.account.id.uuidString.lowercased())
        ]).first
        let session = AuthSession(
            login: event.id.uuidString.lowercased(), account: event.account.id, methods: event.methods, since: event.at,
            challenge: asker.challenge.value, password: event.password, person: person)
        let advice =
            enrolled.isEmpty
            ? "this account asks for a second factor, and none is enrolled: enrol one in a browser at \(issuer)/account"
            : "a second factor is due: send this auth_session and a factor"
        throw OAuthError(
            .insufficientAuthorization, advice,
            members: ["auth_session": try await sessions.write(session, client: asker.client)],
            more: ["factors": JSONValue(strings: enrolled.map(\.name))])
    }

    /// With `factor` it asks the person, without it looks for the answer: then the code.
    func goOn(
        _ session: AuthSession, _ asker: Requester, _ parameters: OAuthParameters, wait: Int
    ) async throws -> String {
        guard let person = try await accounts.find(session.account, in: database), person.status == .active else {
            try await refusals.note(session.account, "suspended", by: asker.actor)
            throw FactorChallenge.suspended
        }
        if let name = try parameters["factor"] { throw try await ask(name, person, session, asker) }
        guard let question = session.question else {
            throw OAuthError(.invalidRequest, "factor is missing: name one of those that were offered")
        }
        guard let factor = fitting(person).first(where: { $0.name == question.factor }) else {
            throw AuthSessions.refused
        }
        switch try await factor.progress(question.subject, person.id, parameters, asker.told, wait) {
        case .pending(let shown):
            throw OAuthError(
                .authorizationPending, "the person has not answered yet; ask again with this auth_session",
                more: [factor.name: .object(shown)])
        case .failed(let refusal):
            // What the app left out or misspelt is no login that failed.
            if refusal.code != .invalidRequest {
                try await refusals.note(person.id, "\(factor.name): \(refusal.reason)", by: asker.actor)
            }
            throw refusal
        case .done(let account, let methods, let stands):
            guard account == person.id else {
                try await refusals.note(person.id, "\(factor.name): another person answered", by: asker.actor)
                throw OAuthError(
                    .accessDenied,
                    "another person answered than the one who was asked; begin again with factor=\(factor.name)")
            }
            return try await finish(session, factor, methods, asker, stands: stands)
        }
    }

    /// Those that the account takes; an operator may have changed that since the password.
    private func fitting(_ person: Account) -> [SecondFactor] {
        FactorDemand(person, levels: [.twoFactors], of: factors)?.fitting ?? []
    }

    private func ask(
        _ name: String, _ person: Account, _ session: AuthSession, _ asker: Requester
    ) async throws -> OAuthError {
        guard let factor = fitting(person).first(where: { $0.name == name }),
            try await factor.isEnrolled(person.id, database)
        else {
            throw OAuthError(.invalidRequest, "factor is none of those that were offered")
        }
        let asked = try await factor.begin(person, asker.told)
        var next = session
        next.question = AuthSession.Question(factor: factor.name, subject: asked.subject)
        return OAuthError(
            .insufficientAuthorization, "the person is asked: show this, and ask again with this auth_session",
            members: ["auth_session": try await sessions.write(next, client: asker.client)],
            more: [factor.name: .object(asked.shown)])
    }

    /// Of all requests that complete one login, one gets the code.
    private func finish(
        _ session: AuthSession, _ factor: SecondFactor, _ methods: [String], _ asker: Requester,
        stands: @Sendable (any SQLExecutor) async throws -> Bool
    ) async throws -> String {
        try await database.settling { transaction -> Outcome<String> in
            // A minute more than anything of it is taken.
            let kept = session.end.addingTimeInterval(60)
            guard
                try await oneTime.claim(
                    session.login, namespace: "auth_session \(issuer)", expires: kept, in: transaction)
            else {
                return .refused(AuthSessions.refused)
            }
            // Who suspends the account, or takes away what answered, waits for this login.
            guard let person = try await accounts.find(session.account, locking: true, in: transaction),
                person.status == .active
            else {
                try await refusals.note(session.account, "suspended", by: asker.actor, in: transaction)
                return .refused(FactorChallenge.suspended)
            }
            if let node = session.person {
                guard try await TokenBoundRow.stands([node], in: transaction) else {
                    try await refusals.note(session.account, "ended", by: asker.actor, in: transaction)
                    return .refused(AuthSessions.refused)
                }
            }
            guard try await stands(transaction) else {
                try await refusals.note(session.account, "removed", by: asker.actor, in: transaction)
                return .refused(FactorChallenge.removed)
            }
            let event = try await events.record(
                person, methods: methods, factor: factor.name, client: asker.client, in: transaction)
            try await pushes.forgive(person.id, in: transaction)
            let history = AuthenticationHistory(
                [
                    .init(at: session.since, methods: session.methods),
                    .init(at: event.at, methods: methods, factor: factor.name),
                ],
                began: session.since)
            let context = history.context()
            OAuthMetrics.shared.login(context.methods, outcome: "done")
            try await AuditTrail.write(asker.entry(event, context.methods), at: event.at, in: transaction)
            return .done(
                try await codes.issue(
                    person.id, context, password: session.password, holder: asker.holder, challenge: asker.challenge,
                    in: transaction))
        }
    }

    private static let removed = OAuthError(
        .accessDenied, "what answered was removed meanwhile; begin again with username and password")
    private static let suspended = OAuthError(.accessDenied, "this account may not log in")
}

extension OAuthError {
    /// Without the advice behind it.
    fileprivate var reason: String {
        (cause ?? description).split(separator: ";").first.map(String.init) ?? code.rawValue
    }
}
