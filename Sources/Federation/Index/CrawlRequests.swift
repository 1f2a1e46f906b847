import Base
import Database
import Foundation

/// A service whose document has changed asks to be crawled now, and need not wait until it is due.
public struct CrawlRequests: Sendable {
    public enum Answer: Sendable, Equatable {
        /// It is due from now on.
        case taken
        /// It asked before; whole seconds until it may ask again.
        case tooSoon(Int)
        /// Nobody crawls a service that is suspended or removed.
        case notCrawled
    }

    /// Seconds between two requests of a service that are heard.
    public static let pause: TimeInterval = 60

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// Of several at once one is taken: the row is changed under its lock, and looked at again by who waited. The
    /// crawler is told, and whoever claims next takes it up; what waits for a silent host waits on.
    public func ask(for service: String, in executor: any SQLExecutor) async throws -> Answer {
        let now = clock.now()
        let taken = try await executor.query(
            """
            with asked as (
                update service_document d set asked_at = \(now), next_try = least(d.next_try, \(now))
                where d.service = \(service) and (d.asked_at is null
                        or d.asked_at <= \(now.addingTimeInterval(-CrawlRequests.pause)))
                    and exists (select from service s where s.id = d.service
                        and s.status not in ('suspended', 'removed'))
                returning d.service
            )
            select asked.service, pg_notify(\(ServiceIndex.channel), asked.service)::text as told from asked
            """)
        if !taken.isEmpty { return .taken }
        let rows = try await executor.query(
            """
            select d.asked_at from service_document d join service s on s.id = d.service
            where d.service = \(service) and s.status not in ('suspended', 'removed')
            """)
        guard let row = rows.first else { return .notCrawled }
        let before: Date? = try row("asked_at")
        let left = before.map { $0.addingTimeInterval(CrawlRequests.pause).timeIntervalSince(now) } ?? 1
        return .tooSoon(Int(max(1, min(left, CrawlRequests.pause)).rounded(.up)))
    }
}
