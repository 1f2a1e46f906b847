import Accounts
import Base
import Database
import Foundation
import TokenTree

/// `pando admin tiqr import`: users and secrets of tiqr-server-libphp become identities (decisions.md, tiqr 8;
/// protocols/tiqr.md, 1.11).
///
/// One transaction for each batch, so that an import which stopped in the middle is begun again: what is there is
/// `already`. Nothing that is there is changed.
public struct TiqrImport: Sendable {
    static let batchSize = 200

    private struct Candidate: Sendable {
        let line: Int
        let userID: String?
        let user: Result<ImportedUser, ImportedUser.Refused>
    }

    private let plan: ImportPlan
    private let service: TiqrService
    private let actor: AuditActor

    public init(_ service: TiqrService, plan: ImportPlan, actor: AuditActor) {
        (self.service, self.plan, self.actor) = (service, plan, actor)
    }

    /// Secrets stand in `secrets`, or without it in the column `secret` of `users`. `progress` hears how many rows are
    /// done, and how many of these in vain.
    ///
    /// A row that cannot stand is told of in the report. Throws for what is wrong with all: `TiqrRefusal`,
    /// `ExportedTable.Malformed`, `DatabaseError`.
    public func run(
        users: ExportedTable, secrets: ExportedTable?, isDryRun: Bool,
        progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> ImportReport {
        try users.need("userid")
        try (secrets ?? users).need("secret")
        guard (0...525_600).contains(plan.temporaryBlock) else {
            throw TiqrRefusal.invalidRequest("a temporary block has 0 to 525600 minutes")
        }
        var stored: [String: String]?
        if let secrets { stored = try TiqrImport.byUserID(secrets) }
        var candidates: [Candidate] = [], seen: Set<String> = []
        for line in users.lines {
            let userID = line["userid"], isTwice = userID.map { !seen.insert($0).inserted } ?? false
            let secret = if let userID, stored != nil { stored?.removeValue(forKey: userID) } else { line["secret"] }
            guard plan.only.isEmpty || plan.only.contains(userID ?? "") else { continue }
            candidates.append(
                isTwice
                    ? Candidate(
                        line: line.number, userID: userID,
                        user: .failure(.init(reason: "the userid is in the table twice")))
                    : Candidate(line: line.number, userID: userID, user: user(line, secret)))
        }
        var items: [ImportReport.Item] = []
        for start in stride(from: 0, to: candidates.count, by: TiqrImport.batchSize) {
            let batch = Array(candidates[start..<min(start + TiqrImport.batchSize, candidates.count)])
            let work: @Sendable (Transaction) async throws -> [ImportReport.Item] = { try await settle(batch, in: $0) }
            items += try await isDryRun ? service.database.rollingBack(work) : service.database.atomically(work)
            progress(items.count, items.count { $0.reason != nil })
        }
        return ImportReport(items: items, unusedSecrets: stored?.count ?? 0)
    }

    /// By userid.
    private static func byUserID(_ table: ExportedTable) throws(ExportedTable.Malformed) -> [String: String] {
        try table.need("userid")
        var secrets: [String: String] = [:]
        for line in table.lines {
            guard let userID = line["userid"], secrets.updateValue(line["secret"] ?? "", forKey: userID) == nil else {
                throw ExportedTable.Malformed(
                    description: "line \(line.number) of the secrets has no userid, or that of another")
            }
        }
        return secrets
    }

    private func user(_ line: ExportedTable.Line, _ secret: String?) -> Result<ImportedUser, ImportedUser.Refused> {
        do throws(ImportedUser.Refused) {
            return .success(
                try ImportedUser(
                    line, secret: secret, keys: plan.keys, temporaryBlock: plan.temporaryBlock, now: service.clock.now()
                ))
        } catch {
            return .failure(error)
        }
    }

    private func settle(_ batch: [Candidate], in transaction: any SQLExecutor) async throws -> [ImportReport.Item] {
        let caller = TiqrCaller.administrator(actor)
        try await service.identifiers.adopt(
            IdentifierDraft(identifier: plan.identifier, displayName: plan.displayName, suite: plan.suite), by: caller,
            in: transaction)
        var refusals: [Int: String] = [:], identities: [ImportedIdentity] = []
        for (place, candidate) in batch.enumerated() {
            switch candidate.user {
            case .failure(let refused): refusals[place] = refused.reason
            case .success(let user):
                guard let externalID = try await person(of: user.identity, in: transaction) else {
                    refusals[place] =
                        plan.owner == .identityProvider
                        ? "no account is known for this userid" : "no usable external id is known for this userid"
                    continue
                }
                identities.append(
                    ImportedIdentity(
                        user: user, owner: plan.owner.name, identifier: plan.identifier, suite: plan.suite,
                        externalID: externalID))
            }
        }
        var placed = try await service.identityStore.place(identities, in: transaction)[...]
        for (identity, result) in zip(identities, placed) where result.outcome == .imported {
            try await TiqrAudit.write(
                "tiqr.import", actor, about: identity.user.identity,
                ["owner": .string(identity.owner), "identifier": .string(identity.identifier)],
                at: service.clock.now(), in: transaction)
        }
        return batch.enumerated().map { place, candidate -> ImportReport.Item in
            if let reason = refusals[place] {
                return ImportReport.Item(
                    line: candidate.line, userID: candidate.userID, outcome: .refused, reason: reason)
            }
            let result = placed.removeFirst()
            return ImportReport.Item(
                line: candidate.line, userID: candidate.userID, outcome: result.outcome, reason: result.reason)
        }
    }

    /// The server's are accounts, in the letters that `TiqrLogin` looks for; `nil` for nobody.
    private func person(of userID: String, in executor: any SQLExecutor) async throws -> String? {
        guard let person = plan.people == nil ? userID : plan.people?[userID],
            (try? ShownText.check(person, "external_id", limit: 255)) != nil
        else { return nil }
        switch plan.owner {
        case .identityProvider:
            return try await AccountStore(clock: service.clock).find(person, in: executor)?.id.uuidString.lowercased()
        case .client: return person
        }
    }
}
