import Base
import Database
import Foundation
import OCRA

/// Rows of `tiqr_identifier`.
struct IdentifierStore: Sendable {
    let settings: TiqrSettings
    let clock: WallClock

    func add(
        _ draft: IdentifierDraft, by caller: TiqrCaller, in executor: any SQLExecutor
    ) async throws -> (identifier: ServiceIdentifier, isNew: Bool) {
        try check(draft)
        // Whoever names an identifier gets it as it was first made: were its links to lead just anywhere, one service
        // could read the keys of another's enrollments.
        if caller.owner != nil, let base = draft.traits.linkBase, let host = WebAddress(base)?.host,
            host != draft.identifier, !host.hasSuffix("." + draft.identifier)
        {
            throw TiqrRefusal.invalidRequest(
                "link_base is the identifier's own host, or one below it; an operator sets another")
        }
        // The default one is there before anybody can take its name.
        let isOwn = draft.identifier == settings.defaultIdentifier
        let isNew = try await isOwn ? false : insert(draft, in: executor)
        guard let there = try await named(draft.identifier, in: executor) else { throw DatabaseError.serialization }
        guard there.suite == draft.suite else {
            throw TiqrRefusal.conflict("\(draft.identifier) has suite \(there.suite), for ever")
        }
        if isNew { try await note("tiqr.identifier", there, by: caller, in: executor) }
        return (there, isNew)
    }

    /// For phones that another server enrolled: made when it is not there, and known to phones from the beginning.
    func adopt(_ draft: IdentifierDraft, by caller: TiqrCaller, in executor: any SQLExecutor) async throws {
        try check(draft)
        let isNew = try await insert(draft, in: executor)
        guard let there = try await find(draft.identifier, in: executor) else { throw DatabaseError.serialization }
        guard there.suite == draft.suite else {
            throw TiqrRefusal.conflict("\(draft.identifier) has suite \(there.suite) here, for ever")
        }
        if isNew { try await note("tiqr.identifier", there, by: caller, in: executor) }
        try await use(draft.identifier, in: executor)
    }

    /// From now on a phone may know it.
    func use(_ name: String, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            "update tiqr_identifier set used_at = \(clock.now()) where identifier = \(name) and used_at is null")
    }

    private func check(_ draft: IdentifierDraft) throws(TiqrRefusal) {
        guard TiqrLanding.isHost(draft.identifier) else {
            throw .invalidRequest(
                "identifier is a host name in lower case, without port: the apps cannot do another")
        }
        try ShownText.check(draft.displayName, "display_name")
        guard let suite = try? OCRASuite(draft.suite), suite.isOffered else {
            throw .invalidRequest(
                """
                suite is OCRA-1:HOTP-SHA(1|256|512)-(6…8):QH(08…64, even)-S064, or with a bare -S: what both apps can \
                do
                """)
        }
        try draft.traits.check()
    }

    // MARK: Reading

    /// That of this server is made by whoever needs it first.
    func named(_ name: String, in executor: any SQLExecutor) async throws -> ServiceIdentifier? {
        if let found = try await find(name, in: executor) { return found }
        guard name == settings.defaultIdentifier else { return nil }
        let own = IdentifierDraft(
            identifier: name, displayName: settings.displayName, suite: settings.defaultSuite)
        _ = try await insert(own, in: executor)
        return try await find(name, in: executor)
    }

    /// That of a draft; the default one where it names none.
    func chosen(_ name: String?, in executor: any SQLExecutor) async throws -> ServiceIdentifier {
        if let name {
            guard let found = try await named(name, in: executor) else {
                throw TiqrRefusal.invalidRequest("the identifier is not known here")
            }
            return found
        }
        let chosen = try await read("n.is_default", in: executor).first
        if let chosen { return chosen }
        guard let own = try await named(settings.defaultIdentifier, in: executor) else {
            throw DatabaseError.serialization
        }
        return own
    }

    /// The default one first.
    func all(in executor: any SQLExecutor) async throws -> [ServiceIdentifier] {
        _ = try await named(settings.defaultIdentifier, in: executor)
        return try await read("true", in: executor)
    }

    func logo(of name: String, in executor: any SQLExecutor) async throws -> IdentifierLogo? {
        let rows = try await executor.query(
            """
            select n.logo, n.logo_type from tiqr_identifier n
            where n.identifier = \(name) and n.logo is not null
            """)
        return try rows.first.map { IdentifierLogo(stored: try $0("logo"), type: try $0("logo_type")) }
    }

    private func find(_ name: String, in executor: any SQLExecutor) async throws -> ServiceIdentifier? {
        try await read("n.identifier = \(name)", in: executor).first
    }

    private func read(_ condition: SQL, in executor: any SQLExecutor) async throws -> [ServiceIdentifier] {
        let own = settings.defaultIdentifier
        return try await executor.query(
            """
            select n.identifier, n.display_name, n.suite, n.info_url, n.enroll_scheme, n.auth_scheme, n.link_base,
                n.app, n.logo is not null as has_logo, n.used_at is not null as is_used,
                n.retired_at is not null as is_retired,
                n.is_default or n.identifier = \(own)
                    and not exists (select from tiqr_identifier d where d.is_default) as is_default
            from tiqr_identifier n where \(condition)
            order by is_default desc, n.identifier <> \(own), n.identifier
            """
        ).map { try ServiceIdentifier($0, settings: settings) }
    }

    // MARK: Changing

    private func insert(_ draft: IdentifierDraft, in executor: any SQLExecutor) async throws -> Bool {
        let traits = draft.traits
        return try await executor.execute(
            """
            insert into tiqr_identifier (identifier, display_name, suite, info_url, enroll_scheme, auth_scheme,
                link_base, app, logo, logo_type, created_at)
            values (\(draft.identifier), \(draft.displayName), \(draft.suite), \(traits.infoURL),
                \(traits.enrollScheme), \(traits.authScheme), \(traits.linkBase), \(traits.app),
                \(draft.logo?.bytes), \(draft.logo?.type), \(clock.now()))
            on conflict (identifier) do nothing
            """) > 0
    }

    /// Held, so that no phone reads what is about to change. `displayName` and `logo` where they are given.
    func update(
        _ name: String, displayName: String?, logo: IdentifierLogo?, isDefault: Bool?,
        by caller: TiqrCaller, in transaction: any SQLExecutor, _ change: (inout IdentifierTraits) -> Void
    ) async throws -> ServiceIdentifier {
        // One after another, before any identifier is held: of those who choose a default at once the last one's is it,
        // and none waits for a row of another's.
        if isDefault == true {
            let lock = NodeID(digestOf: "tiqr default identifier").lockNumber
            _ = try await transaction.query("select pg_advisory_xact_lock(\(lock))")
        }
        let before = try await held(name, in: transaction)
        if before.isUsed, logo != nil || displayName.map({ $0 != before.displayName }) ?? false {
            throw TiqrRefusal.conflict(
                """
                \(name) was used: apps keep the first name, logo, authentication URL and suite of an identifier that \
                they saw, so these never change. Add another identifier, and retire this one
                """)
        }
        if isDefault == true, before.isRetired { throw TiqrRefusal.conflict("\(name) is retired") }
        if let displayName { try ShownText.check(displayName, "display_name") }
        var traits = before.traits
        change(&traits)
        try traits.check()
        if isDefault == true {
            _ = try await transaction.execute(
                "update tiqr_identifier set is_default = false where is_default and identifier <> \(name)")
        }
        _ = try await transaction.execute(
            """
            update tiqr_identifier set display_name = \(displayName ?? before.displayName),
                logo = coalesce(\(logo?.bytes), logo), logo_type = coalesce(\(logo?.type), logo_type),
                info_url = \(traits.infoURL), enroll_scheme = \(traits.enrollScheme),
                auth_scheme = \(traits.authScheme), link_base = \(traits.linkBase), app = \(traits.app),
                is_default = coalesce(\(isDefault), is_default)
            where identifier = \(name)
            """)
        let became = try await held(name, in: transaction)
        try await note("tiqr.identifier.update", became, by: caller, in: transaction)
        return became
    }

    /// Its phones go on logging in; no more enroll. `already`: it was.
    func retire(
        _ name: String, by caller: TiqrCaller, in transaction: any SQLExecutor
    ) async throws -> (became: ServiceIdentifier, already: Bool) {
        let before = try await held(name, in: transaction)
        guard !before.isDefault else {
            throw TiqrRefusal.conflict("\(name) is the default: make another one that first (--default)")
        }
        guard !before.isRetired else { return (before, true) }
        _ = try await transaction.execute(
            "update tiqr_identifier set retired_at = \(clock.now()), app = null where identifier = \(name)")
        let became = try await held(name, in: transaction)
        try await note("tiqr.identifier.retire", became, by: caller, in: transaction)
        return (became, false)
    }

    func held(_ name: String, in transaction: any SQLExecutor) async throws -> ServiceIdentifier {
        guard try await named(name, in: transaction) != nil else {
            throw TiqrRefusal.notFound("there is no tiqr identifier \(name)")
        }
        _ = try await transaction.query(
            "select n.identifier from tiqr_identifier n where n.identifier = \(name) for update")
        guard let found = try await find(name, in: transaction) else { throw DatabaseError.serialization }
        return found
    }

    private func note(
        _ action: String, _ identifier: ServiceIdentifier, by caller: TiqrCaller, in executor: any SQLExecutor
    ) async throws {
        try await TiqrAudit.write(
            action, caller.actor, about: identifier.identifier, ["suite": .string(identifier.suite)],
            at: clock.now(), in: executor)
    }
}
