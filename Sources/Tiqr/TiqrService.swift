import Base
import Database
import Foundation
import OAuth
import TokenTree

/// The door of the room: what the routes, the CLI and the server's own login call. Back-office operations throw
/// `TiqrRefusal`; a database that does not answer throws `DatabaseError`, on the phone's side too, so that it is 503
/// and never a refusal.
///
/// Beside it a process runs `changes.run(on:)`, `PushSender.run()` where a push service is configured, and `tidy()` now
/// and then.
public final class TiqrService: Sendable {
    public let settings: TiqrSettings
    public let changes = ChangeBoard(channel: "pando_tiqr")
    let database: Database
    let clock: WallClock
    let identifiers: IdentifierStore
    let enrollments: EnrollmentStore
    let authentications: AuthenticationStore
    let identityStore: IdentityStore
    let answers: AnswerChallenge
    let links: LinkKeys
    let outbox: PushOutbox

    /// `routes` says which pushes can be sent; none where no sender is configured.
    public init(
        database: Database, master: MasterKey, settings: TiqrSettings, routes: PushRoutes, clock: WallClock,
        randomness: Randomness, metrics: OAuthMetrics = .shared
    ) {
        (self.settings, self.database, self.clock) = (settings, database, clock)
        links = LinkKeys(master: master, settings: settings)
        identifiers = IdentifierStore(settings: settings, clock: clock)
        identityStore = IdentityStore(master: master, clock: clock)
        outbox = PushOutbox(routes: routes, clock: clock)
        enrollments = EnrollmentStore(links: links, identities: identityStore, clock: clock, randomness: randomness)
        authentications = AuthenticationStore(links: links, clock: clock, randomness: randomness)
        answers = AnswerChallenge(
            database: database, identities: identityStore, links: links, changes: changes, clock: clock,
            metrics: metrics)
    }

    // MARK: The phone's side

    /// GET metadata. The one reader gets it and moves the enrollment to `retrieved`; `nil` for everyone else: 404.
    public func metadata(key: String) async throws -> JSONValue? {
        guard let enrollment = try await enrollments.retrieve(key: key, in: database) else { return nil }
        await changes.announce(enrollment.id, in: database)
        // A phone may know it from now on, so that its name and logo stay.
        try await identifiers.use(enrollment.identifier, in: database)
        let identifier = try await identifiers.named(enrollment.identifier, in: database)
        return [
            "service": [
                "displayName": .string(identifier?.displayName ?? settings.displayName),
                "identifier": .string(enrollment.identifier),
                "logoUrl": .string(identifier?.logoURL ?? settings.logoURL),
                "infoUrl": .string(identifier?.infoURL ?? settings.infoURL),
                "authenticationUrl": .string(settings.authenticationURL),
                "ocraSuite": .string(enrollment.suite),
                "enrollmentUrl": .string(settings.enrollmentURL(secret: links.text(.secret, enrollment.id))),
            ],
            "identity": ["identifier": .string(enrollment.identity), "displayName": .string(enrollment.displayName)],
        ]
    }

    /// POST enrollment. `form` is read strictly; where that fails the answer is `.refused`, and this is not called.
    public func register(secret: String, form: [String: String], origin: String?) async throws -> RegisterAnswer {
        let registration: PhoneRegistration
        do { registration = try PhoneRegistration(form) } catch { return .refused(error.description) }
        guard let waiting = try await enrollments.waiting(secret: secret, in: database) else {
            return .refused(PhoneTexts.enrollmentOver(registration.language))
        }
        let finished = try await database.atomically { transaction in
            try await enrollments.finish(waiting, registration, origin: origin, in: transaction)
        }
        guard finished else { return .refused(PhoneTexts.enrollmentOver(registration.language)) }
        await changes.announce(waiting.id, in: database)
        return .enrolled
    }

    /// POST authentication. A form that cannot be read, or with a field twice, is `.invalidRequest` without a call.
    public func login(form: [String: String], origin: String?) async throws -> LoginAnswer {
        guard let login = LoginForm(form) else { return .invalidRequest }
        return try await answers.byPhone(login, origin: origin)
    }

    // MARK: Identifiers

    /// The identifier, and whether it is new: 201 or 200.
    public func addIdentifier(
        _ draft: IdentifierDraft, by caller: TiqrCaller
    ) async throws -> (identifier: ServiceIdentifier, isNew: Bool) {
        try await identifiers.add(draft, by: caller, in: database)
    }

    /// The logo of an identifier; `nil` for one that has none of its own.
    public func logo(of identifier: String) async throws -> IdentifierLogo? {
        try await identifiers.logo(of: identifier, in: database)
    }

    /// What a browser that opened an enrollment link needs to know: which app it is for. Looks only.
    func app(enrollmentKey: String) async throws -> AppLinks? {
        try await enrollments.app(key: enrollmentKey, in: database)
    }

    /// `nil` for one that is not known here. Looks one up, for callers whom nobody knows.
    func identifier(_ name: String) async throws -> ServiceIdentifier? {
        guard TiqrLanding.isHost(name) else { return nil }
        return try await identifiers.named(name, in: database)
    }

    /// The default one first.
    public func allIdentifiers() async throws -> [ServiceIdentifier] { try await identifiers.all(in: database) }

    // MARK: Enrollments

    public func startEnrollment(_ draft: EnrollmentDraft, by caller: TiqrCaller) async throws -> StartedEnrollment {
        let draft = try draft.checked()
        let identifier = try await identifiers.chosen(draft.identifier, in: database)
        guard !identifier.isRetired else {
            throw TiqrRefusal.conflict("\(identifier.identifier) is retired: no more phones enroll under it")
        }
        let view = try await database.atomically { transaction in
            try await enrollments.start(draft, under: identifier, by: caller, in: transaction)
        }
        return StartedEnrollment(view: view, links: links)
    }

    public func enrollment(_ id: String, for caller: TiqrCaller) async throws -> EnrollmentView {
        try await enrollments.find(id, for: caller, in: database)
    }

    /// Held until its `etag` is another than `etag` (without one: than at arrival), at most `seconds`. Gives the state
    /// at the end.
    public func enrollment(
        _ id: String, for caller: TiqrCaller, unlike etag: String?, within seconds: Int
    ) async throws -> EnrollmentView {
        try await changes.wait(for: id, unlike: etag, within: seconds, clock: clock) {
            try await enrollments.find(id, for: caller, in: database)
        }
    }

    public func cancelEnrollment(_ id: String, for caller: TiqrCaller) async throws {
        guard try await enrollments.cancel(id, for: caller, in: database) else { return }
        await changes.announce(id, in: database)
    }

    // MARK: Authentications

    public func startAuthentication(
        _ draft: AuthenticationDraft, by caller: TiqrCaller
    ) async throws -> StartedAuthentication {
        let draft = try draft.checked()
        let identity = try await known(draft.identity, for: caller)
        if let identity, let wanted = draft.identifier, wanted != identity.identifier {
            throw TiqrRefusal.invalidRequest("the identity belongs to another identifier")
        }
        let identifier = try await identifiers.chosen(identity?.identifier ?? draft.identifier, in: database)
        let push: PushOutcome = draft.push ? outbox.plan(for: identity) : .none
        let view = try await database.atomically { transaction -> AuthenticationView in
            let view = try await authentications.start(
                draft, identity: identity, under: identifier, by: caller,
                number: draft.asksNumber && push == .queued ? .fresh(authentications.randomness) : nil, in: transaction)
            if push == .queued, let identity { try await outbox.add(view, to: identity, in: transaction) }
            return view
        }
        if push == .queued { await outbox.wake(in: database) }
        return StartedAuthentication(view: view, push: push, links: links)
    }

    private func known(_ name: String?, for caller: TiqrCaller) async throws -> TiqrIdentity? {
        guard let name else { return nil }
        return try await identityStore.find(name, for: caller, in: database)
    }

    public func authentication(_ id: String, for caller: TiqrCaller) async throws -> AuthenticationView {
        try await authentications.find(id, for: caller, in: database)
    }

    /// As with enrollments.
    public func authentication(
        _ id: String, for caller: TiqrCaller, unlike etag: String?, within seconds: Int
    ) async throws -> AuthenticationView {
        try await changes.wait(for: id, unlike: etag, within: seconds, clock: clock) {
            try await authentications.find(id, for: caller, in: database)
        }
    }

    public func cancelAuthentication(_ id: String, for caller: TiqrCaller) async throws {
        try await authentications.cancel(id, for: caller, in: database)
        await changes.announce(id, in: database)
    }

    /// POST otp: what the phone shows when it is offline, typed by its user. One counter with the phone's own answers.
    public func answer(
        _ id: String, otp: String, identity: String?, for caller: TiqrCaller
    ) async throws -> AuthenticationView {
        try await answers.byOTP(otp, of: id, identity: identity, for: caller)
        return try await authentications.find(id, for: caller, in: database)
    }

    // MARK: Identities

    /// `after` is the `next` of the page before.
    public func identities(externalID: String?, after: String?, for caller: TiqrCaller) async throws -> IdentityPage {
        try await identityStore.list(externalID: externalID, after: after, for: caller, in: database)
    }

    public func identity(_ name: String, for caller: TiqrCaller) async throws -> TiqrIdentity {
        try await identityStore.find(name, for: caller, in: database)
    }

    /// Without `minutes` for good.
    public func block(_ name: String, minutes: Int?, for caller: TiqrCaller) async throws {
        try await database.atomically { transaction in
            try await identityStore.block(name, minutes: minutes, for: caller, in: transaction)
        }
    }

    /// Ends the block; attempts are full again, the ladder keeps its step.
    public func unblock(_ name: String, for caller: TiqrCaller) async throws {
        try await database.atomically { transaction in
            try await identityStore.unblock(name, for: caller, in: transaction)
        }
    }

    public func remove(_ name: String, for caller: TiqrCaller) async throws {
        try await database.atomically { transaction in
            try await identityStore.remove(name, for: caller, in: transaction)
        }
    }

    // MARK: Operating

    /// Deletes what has been over for long.
    public func tidy() async throws { try await Housekeeping(clock: clock).tidy(in: database) }
}
