import Foundation

/// What became of one migration in this database.
public struct MigrationStatus: Sendable {
    public enum State: String, Sendable {
        case applied, pending
        /// Applied, and the file has other contents now.
        case changed
        /// Applied by a version whose files are not here.
        case unknown
        /// Not applied, and one with a higher number was.
        case late
    }

    public let file: String
    public let state: State
    public let appliedAt: Date?
    /// Role and version; `nil` for those that were applied before this was noted.
    public let appliedBy: String?
    /// Of pending ones: what is to be known before they run, with about how many rows the table has.
    public let notes: [(note: MigrationNote, rows: Int)]
    /// Whether it runs in one transaction.
    public let isInTransaction: Bool
}

/// A row of the table of migrations.
private struct AppliedMigration {
    let checksum: [UInt8]
    let at: Date
    let by: String?
}

extension Migrator {
    /// All that the folder or the database knows of, in order. Changes nothing.
    public func status() async throws -> [MigrationStatus] {
        let files = try MigrationFile.all(in: directory)
        let applied = try await appliedOnes()
        let last = applied.keys.max() ?? "", known = Set(files.map(\.name))
        var all: [MigrationStatus] = []
        for file in files {
            let done = applied[file.name]
            let state: MigrationStatus.State =
                if let done { done.checksum == file.checksum ? .applied : .changed } else {
                    file.name > last ? .pending : .late
                }
            all.append(
                MigrationStatus(
                    file: file.name, state: state, appliedAt: done?.at, appliedBy: done?.by,
                    notes: state == .pending ? try await noted(file) : [], isInTransaction: file.isInTransaction))
        }
        for (name, done) in applied where !known.contains(name) {
            all.append(
                MigrationStatus(
                    file: name, state: .unknown, appliedAt: done.at, appliedBy: done.by, notes: [],
                    isInTransaction: true))
        }
        return all.sorted { $0.file < $1.file }
    }

    /// Those that the database knows; none where it was never migrated.
    private func appliedOnes() async throws -> [String: AppliedMigration] {
        let rows: [Row]
        do {
            rows = try await database.query(
                """
                select m.name, m.checksum, m.applied_at, to_jsonb(m) ->> 'applied_by' as applied_by from migration m
                """)
        } catch {
            guard error == .undefinedTable else { throw error }
            return [:]
        }
        var applied: [String: AppliedMigration] = [:]
        for row in rows {
            applied[try row("name")] = AppliedMigration(
                checksum: try row("checksum"), at: try row("applied_at"), by: try row("applied_by"))
        }
        return applied
    }

    /// Without those about tables that are not there yet.
    private func noted(_ file: MigrationFile) async throws -> [(note: MigrationNote, rows: Int)] {
        var noted: [(note: MigrationNote, rows: Int)] = []
        for note in MigrationNote.all(of: file) {
            let table = try await database.query(
                """
                select to_regclass(\(note.table)) is not null as is_there,
                    coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint as rows
                from pg_class c
                where c.relkind = 'r' and (c.oid = to_regclass(\(note.table))
                    or c.oid in (select i.inhrelid from pg_inherits i where i.inhparent = to_regclass(\(note.table))))
                """
            ).first
            if let table, try table("is_there", as: Bool.self) {
                noted.append((note, Int(try table("rows", as: Int64.self))))
            }
        }
        return noted
    }
}
