import Base
import Database
import Foundation

/// The rows of `service_document`, and of `service` as far as a document speaks of it.
final class CrawlStore: Sendable {
    let database: Database
    private let writing: GroupCommit<CrawlWriting, Bool>
    let claiming: GroupCommit<CrawlClaim, CrawlTarget?>

    init(database: Database) {
        self.database = database
        // A service is seen once at a time; its row is locked for milliseconds.
        writing = GroupCommit("verdicts", lanes: 1, most: 32, subject: \.target.service) {
            try await CrawlWriting.write($0, in: database)
        }
        claiming = GroupCommit("claims", lanes: 1, most: 32, subject: \.service) {
            try await CrawlClaim.make($0, in: database)
        }
    }

    /// Writes a verdict, in one transaction with everything that follows from it, and with the verdicts of others that
    /// are ready meanwhile. A later crawl's verdict is not overwritten, and a service that was suspended, or moved
    /// elsewhere, meanwhile is left alone.
    /// - Returns: whether it was written, durably.
    @discardableResult
    func save(
        _ verdict: CrawlVerdict, of target: CrawlTarget, started: Date, news: HostNews? = nil, now: Date
    ) async throws -> Bool {
        try await writing.commit(
            CrawlWriting(verdict: verdict, target: target, started: started, news: news, now: now))
    }
}
