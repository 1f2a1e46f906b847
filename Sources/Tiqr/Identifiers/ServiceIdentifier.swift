import Base
import Database
import Foundation
import OCRA

/// POST /identifiers, as the caller asks.
public struct IdentifierDraft: Sendable {
    public let identifier: String
    public let displayName: String
    public let suite: String

    public init(identifier: String, displayName: String, suite: String) {
        (self.identifier, self.displayName, self.suite) = (identifier, displayName, suite)
    }
}

/// A service identifier: what the phone knows this server by, and the suite that it computes with.
public struct ServiceIdentifier: Sendable, Equatable {
    public let identifier: String
    public let displayName: String
    public let suite: String
    public let isDefault: Bool

    public var json: JSONValue {
        [
            "identifier": .string(identifier), "display_name": .string(displayName), "suite": .string(suite),
            "default": .bool(isDefault),
        ]
    }
}

/// Rows of `tiqr_identifier`.
struct IdentifierStore: Sendable {
    let settings: TiqrSettings
    let clock: WallClock

    func add(
        _ draft: IdentifierDraft, by caller: TiqrCaller, in executor: any SQLExecutor
    ) async throws -> (identifier: ServiceIdentifier, isNew: Bool) {
        guard TiqrLanding.isHost(draft.identifier) else {
            throw TiqrRefusal.invalidRequest(
                "identifier is a host name in lower case, without port: the apps cannot do another")
        }
        try ShownText.check(draft.displayName, "display_name")
        guard let suite = try? OCRASuite(draft.suite), suite.isOffered else {
            throw TiqrRefusal.invalidRequest(
                "suite is OCRA-1:HOTP-SHA(1|256|512)-(6…8):QH(08…64, even)-S064: what both apps can do")
        }
        // The default one is there before anybody can take its name.
        let isDefault = draft.identifier == settings.defaultIdentifier
        let isNew = try await isDefault ? false : insert(draft.identifier, draft.displayName, draft.suite, in: executor)
        guard let there = try await named(draft.identifier, in: executor) else { throw DatabaseError.serialization }
        guard there.suite == draft.suite else {
            throw TiqrRefusal.conflict("\(draft.identifier) has suite \(there.suite), for ever")
        }
        if isNew { try await note(there, by: caller, in: executor) }
        return (there, isNew)
    }

    /// For phones that another server enrolled: made with that server's suite, which may have the bare `S`, when it is
    /// not there.
    func adopt(_ draft: IdentifierDraft, by caller: TiqrCaller, in executor: any SQLExecutor) async throws {
        guard TiqrLanding.isHost(draft.identifier) else {
            throw TiqrRefusal.invalidRequest("an identifier is a host name in lower case, without port")
        }
        try ShownText.check(draft.displayName, "display_name")
        guard let suite = try? OCRASuite(draft.suite), suite.isImportable else {
            throw TiqrRefusal.invalidRequest(
                """
                suite is OCRA-1:HOTP-SHA(1|256|512)-(6…8):QH(08…64, even)-S064, or with a bare -S: what the apps can \
                do
                """
            )
        }
        let isNew = try await insert(draft.identifier, draft.displayName, draft.suite, in: executor)
        guard let there = try await find(draft.identifier, in: executor) else { throw DatabaseError.serialization }
        guard there.suite == draft.suite else {
            throw TiqrRefusal.conflict("\(draft.identifier) has suite \(there.suite) here, for ever")
        }
        if isNew { try await note(there, by: caller, in: executor) }
    }

    /// The default one is made by whoever needs it first.
    func named(_ name: String, in executor: any SQLExecutor) async throws -> ServiceIdentifier? {
        if let found = try await find(name, in: executor) { return found }
        guard name == settings.defaultIdentifier else { return nil }
        _ = try await insert(name, settings.displayName, settings.defaultSuite, in: executor)
        return try await find(name, in: executor)
    }

    /// That of a draft; the default one where it names none.
    func chosen(_ name: String?, in executor: any SQLExecutor) async throws -> ServiceIdentifier {
        guard let found = try await named(name ?? settings.defaultIdentifier, in: executor) else {
            throw TiqrRefusal.invalidRequest("the identifier is not known here")
        }
        return found
    }

    func all(in executor: any SQLExecutor) async throws -> [ServiceIdentifier] {
        _ = try await named(settings.defaultIdentifier, in: executor)
        return try await executor.query(
            """
            select identifier, display_name, suite from tiqr_identifier
                order by identifier <> \(settings.defaultIdentifier), identifier
            """
        ).map { try identifier($0) }
    }

    private func find(_ name: String, in executor: any SQLExecutor) async throws -> ServiceIdentifier? {
        try await executor.query(
            "select identifier, display_name, suite from tiqr_identifier where identifier = \(name)"
        ).first.map { try identifier($0) }
    }

    private func insert(
        _ name: String, _ displayName: String, _ suite: String, in executor: any SQLExecutor
    ) async throws -> Bool {
        try await executor.execute(
            """
            insert into tiqr_identifier (identifier, display_name, suite, created_at)
                values (\(name), \(displayName), \(suite), \(clock.now()))
            on conflict (identifier) do nothing
            """) > 0
    }

    private func note(_ identifier: ServiceIdentifier, by caller: TiqrCaller, in executor: any SQLExecutor) async throws
    {
        try await TiqrAudit.write(
            "tiqr.identifier", caller.actor, about: identifier.identifier, ["suite": .string(identifier.suite)],
            at: clock.now(), in: executor)
    }

    private func identifier(_ row: Row) throws(DatabaseError) -> ServiceIdentifier {
        let name: String = try row("identifier")
        return ServiceIdentifier(
            identifier: name, displayName: try row("display_name"), suite: try row("suite"),
            isDefault: name == settings.defaultIdentifier)
    }
}
