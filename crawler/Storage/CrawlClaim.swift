import Database
import Foundation

/// A claim of one service by name, for whom somebody waits. The places of its host are not counted; `HostGate` still
/// keeps manners.
struct CrawlClaim: Sendable {
    let service: String
    /// `false` claims it whatever its schedule says and whoever has it.
    let ifDue: Bool
    let now: Date

    /// Claims of different services, in one statement for those that are bound to a schedule and one for the others.
    /// - Returns: what is known of each; `nil` for those that were not to be had.
    static func make(_ claims: [CrawlClaim], in database: Database) async throws -> [CrawlTarget?] {
        guard let now = claims.map(\.now).max() else { return [] }
        let due = claims.filter(\.ifDue).map(\.service), others = claims.filter { !$0.ifDue }.map(\.service)
        var statements: [SQL] = []
        if !due.isEmpty {
            let isDue: SQL = "d.next_try <= \(now) and (d.claimed_until is null or d.claimed_until <= \(now))"
            statements.append(claim(due, where: isDue, at: now))
        }
        if !others.isEmpty {
            statements.append(claim(others, where: "true", at: now))
            // Those that nobody may claim: they are told of all the same.
            statements.append(
                """
                select \(CrawlTarget.columns) from service s join service_document d on d.service = s.id
                where s.id = any(\(others)) and s.status in ('suspended', 'removed')
                """)
        }
        var found: [String: CrawlTarget] = [:]
        for row in try await database.batchAlone(statements).joined() {
            let target = try CrawlTarget(row)
            found[target.service] = target
        }
        return claims.map { found[$0.service] }
    }

    /// Rows are locked in the order in which verdicts lock them.
    private static func claim(_ services: [String], where isFree: SQL, at now: Date) -> SQL {
        """
        with open as materialized (
            select d.service from service_document d join service s on s.id = d.service
            where d.service = any(\(services)) and s.status not in ('suspended', 'removed') and \(isFree)
            order by d.service for no key update of d
        )
        update service_document d set claimed_until = \(now.addingTimeInterval(CrawlSchedule.lease))
        from open, service s where d.service = open.service and s.id = d.service
        returning \(CrawlTarget.columns)
        """
    }
}
