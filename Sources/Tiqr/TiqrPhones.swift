import Base
import Database
import Foundation
import TokenTree

/// What people of the IdP do with their phones: enrolling and removing.
extension TiqrLogin {
    /// More than anybody holds; unused ones count too.
    public static let mostPhones = 20

    /// `displayName` is what the phone shows. `lineage` is that of the session in which the person asks: the code in
    /// the picture ends with it. `app` is the identifier whose app the person chose; the default one's without. Throws
    /// `TiqrRefusal.conflict` for a person who has `mostPhones`.
    public func enroll(
        _ account: UUID, displayName: String, app: String? = nil, below lineage: [NodeID], actor: AuditActor
    ) async throws -> StartedEnrollment {
        guard try await phones(of: account).count < TiqrLogin.mostPhones else {
            throw TiqrRefusal.conflict("there are \(TiqrLogin.mostPhones) phones already: remove one first")
        }
        if let app, try await !apps().contains(where: { $0.identifier == app }) {
            throw TiqrRefusal.invalidRequest("this app cannot be chosen here")
        }
        let draft = EnrollmentDraft(
            displayName: ShownText.fit(displayName) ?? "Pando", identifier: app,
            externalID: TiqrLogin.externalID(account))
        return try await tiqr.startEnrollment(draft, by: .identityProvider(actor, below: lineage))
    }

    /// The apps that people may choose among, the default first; none where there is no choice.
    public func apps() async throws -> [(identifier: String, name: String)] {
        let offered = try await tiqr.allIdentifiers().filter { !$0.isRetired }.compactMap { one in
            one.traits.app.map { (identifier: one.identifier, name: $0) }
        }
        return offered.count > 1 ? offered : []
    }

    public func enrollment(_ id: String) async throws -> EnrollmentView {
        try await tiqr.enrollment(id, for: .identityProvider(.server))
    }

    /// The same links again, for the page.
    public func shownEnrollment(_ id: String) async throws -> StartedEnrollment {
        StartedEnrollment(view: try await enrollment(id), links: tiqr.links)
    }

    public func waitEnrollment(_ id: String, unlike etag: String?, within seconds: Int) async throws -> EnrollmentView {
        try await tiqr.enrollment(id, for: .identityProvider(.server), unlike: etag, within: seconds)
    }

    /// Its QR code leads nowhere from then on. Throws `TiqrRefusal.conflict` once a phone has been enrolled by it.
    public func cancelEnrollment(_ id: String, actor: AuditActor) async throws {
        try await tiqr.cancelEnrollment(id, for: .identityProvider(actor))
    }

    /// Ends a phone. `TiqrRefusal.notFound` for another's. With `keepingOne` the last phone that can log in stays:
    /// `TiqrRefusal.conflict`.
    public func remove(_ identity: String, of account: UUID, keepingOne: Bool = false, actor: AuditActor) async throws {
        try await tiqr.database.atomically { transaction in
            try await remove(identity, of: account, keepingOne: keepingOne, actor: actor, in: transaction)
        }
    }

    /// The same in the caller's transaction.
    public func remove(
        _ identity: String, of account: UUID, keepingOne: Bool, actor: AuditActor, in transaction: any SQLExecutor
    ) async throws {
        // Held, so that of two phones removed at once one is the last.
        let rows = try await transaction.query(
            """
            select i.identity, i.last_login_at is not null as is_enrolled from tiqr_identity i
            where i.owner = 'house' and i.external_id = \(TiqrLogin.externalID(account)) order by i.identity for update
            """)
        let phones = try rows.map { row -> (name: String, isEnrolled: Bool) in
            (try row("identity"), try row("is_enrolled"))
        }
        guard let phone = phones.first(where: { $0.name == identity }) else {
            throw TiqrRefusal.notFound("there is no such phone")
        }
        if keepingOne, phone.isEnrolled, phones.count(where: { $0.isEnrolled }) == 1 {
            throw TiqrRefusal.conflict("the last phone of an account that must have one")
        }
        try await tiqr.identityStore.remove(identity, for: .identityProvider(actor), in: transaction)
    }

    /// The account is deleted: nothing of it answers or enrolls any more.
    public func removeAll(of account: UUID, actor: AuditActor) async throws {
        try await tiqr.database.atomically { transaction in
            _ = try await TiqrLogin.removeAll(of: account, actor: actor, at: tiqr.clock.now(), in: transaction)
        }
    }

    /// The same in the caller's transaction; how many phones there were. No key is needed, so it works where tiqr does
    /// not run.
    public static func removeAll(
        of account: UUID, actor: AuditActor, at now: Date, in transaction: any SQLExecutor
    ) async throws -> Int {
        let owner = externalID(account)
        _ = try await transaction.execute(
            """
            update tiqr_enrollment x set state = 'cancelled', version = x.version + 1
            where x.owner = 'house' and x.external_id = \(owner) and x.state in ('initialized', 'retrieved')
                and x.expires_at > \(now)
            """)
        let rows = try await transaction.query(
            "delete from tiqr_identity i where i.owner = 'house' and i.external_id = \(owner) returning i.identity")
        for row in rows {
            try await TiqrAudit.write("tiqr.remove", actor, about: try row("identity"), at: now, in: transaction)
        }
        return rows.count
    }
}

extension ShownText {
    /// Made fit for a phone: one line, at most 100 characters; `nil` when nothing is left.
    static func fit(_ text: String?) -> String? {
        guard let text else { return nil }
        let line = String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(1_600).map { $0.properties.generalCategory == .control ? " " : $0 }))
        var shown = String(line.prefix(100))
        while shown.utf8.count > 800 { shown.removeLast() }
        return shown.allSatisfy(\.isWhitespace) ? nil : shown
    }
}
