import Base
import Database
import Foundation
import TokenTree

/// Rows of `operation_template`. What is edited is replaced, so that operations which are under way stay as they were
/// begun.
struct TemplateStore: Sendable {
    let clock: WallClock
    let randomness: Randomness

    /// A template and the row it is.
    struct Stored: Sendable {
        let id: String
        let template: OperationTemplate
    }

    func add(_ template: OperationTemplate, for owner: String, in transaction: any SQLExecutor) async throws -> Stored {
        guard let stored = try await insert(template, for: owner, in: transaction) else {
            throw BackOfficeRefusal.conflict("there is a template of that name")
        }
        return stored
    }

    func replace(
        _ template: OperationTemplate, for owner: String, in transaction: any SQLExecutor
    ) async throws -> Stored {
        // Who puts it at the same time waits in `retire` and finds that row gone: then there is a newer one.
        for _ in 0..<3 {
            if try await retire(template.name, of: owner, in: transaction),
                let stored = try await insert(template, for: owner, in: transaction)
            {
                return stored
            }
            guard try await find(template.name, of: owner, in: transaction) != nil else {
                throw BackOfficeRefusal.templateNotFound
            }
        }
        throw BackOfficeRefusal.conflict("the template is being changed by others")
    }

    func remove(_ name: String, of owner: String, in transaction: any SQLExecutor) async throws {
        guard try await retire(name, of: owner, in: transaction) else { throw BackOfficeRefusal.templateNotFound }
    }

    func find(_ name: String, of owner: String, in executor: any SQLExecutor) async throws -> Stored? {
        try await executor.query(
            """
            select t.id, \(OperationTemplate.columns) from operation_template t where t.owner = \(owner)
                and t.name = \(name) and t.replaced_at is null
            """
        ).first.map { try Stored(id: $0("id"), template: OperationTemplate($0)) }
    }

    func all(of owner: String, in executor: any SQLExecutor) async throws -> [OperationTemplate] {
        try await executor.query(
            """
            select \(OperationTemplate.columns) from operation_template t where t.owner = \(owner)
                and t.replaced_at is null order by t.name
            """
        ).map { try OperationTemplate($0) }
    }

    /// A template of the server, stored as this version of Pando has it.
    func builtIn(_ name: String, in transaction: any SQLExecutor) async throws -> Stored? {
        guard let wanted = try BuiltInTemplates.named(name) else { return nil }
        for _ in 0..<3 {
            let found = try await find(name, of: BuiltInTemplates.owner, in: transaction)
            if let found, found.template.equals(wanted) { return found }
            if found != nil { _ = try await retire(name, of: BuiltInTemplates.owner, in: transaction) }
            if let stored = try await insert(wanted, for: BuiltInTemplates.owner, in: transaction) { return stored }
        }
        throw DatabaseError.serialization
    }

    /// `nil` when there is one of that name.
    private func insert(
        _ template: OperationTemplate, for owner: String, in executor: any SQLExecutor
    ) async throws -> Stored? {
        let id = OperationID.fresh(randomness)
        let rows = try await executor.query(
            """
            insert into operation_template (id, owner, name, operation_type, data_template, allowed_factors,
                max_failures, expiration, risk_flags,
                                            proximity_check, offline_uri, custom_properties, texts, created_at)
            values (\(template.values(id: id, owner: owner, at: clock.now()))) on conflict (owner, name)
                where replaced_at is null do nothing returning id
            """)
        return rows.isEmpty ? nil : Stored(id: id, template: template)
    }

    private func retire(_ name: String, of owner: String, in executor: any SQLExecutor) async throws -> Bool {
        try await executor.execute(
            """
            update operation_template set replaced_at = \(clock.now()) where owner = \(owner) and name = \(name)
                and replaced_at is null
            """) > 0
    }
}
