import Foundation
import Testing

@testable import Crawler

@Suite("When a service is crawled next")
struct CrawlScheduleTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)
    private func schedule(_ chance: Double) -> CrawlSchedule { CrawlSchedule { chance } }

    @Test(
        "ttl ± 10 %, kept within 300 s and 7 d",
        arguments: [
            (3_600, 0.0, 3_240.0), (3_600, 1.0, 3_960.0), (3_600, 0.5, 3_600.0), (1, 0.5, 300.0),
            (99_999_999, 0.5, 604_800.0),
        ])
    func success(ttl: Int, chance: Double, expected: Double) {
        #expect(abs(schedule(chance).next(after: now, ttl: ttl).timeIntervalSince(now) - expected) < 0.001)
    }

    @Test(
        "failure n waits at most 60 s × 2ⁿ⁻¹, up to 6 h, a random part of it",
        arguments: [
            (1, 1.0, 60.0), (2, 1.0, 120.0), (5, 0.5, 480.0), (9, 1.0, 15_360.0), (10, 1.0, 21_600.0),
            (10_000, 1.0, 21_600.0), (3, 0.0, 1.0),
        ])
    func failure(count: Int, chance: Double, expected: Double) {
        #expect(schedule(chance).next(after: now, failures: count, retryAfter: nil).timeIntervalSince(now) == expected)
    }

    @Test(
        "Retry-After is honoured, in seconds or as a date, up to a day",
        arguments: [
            ("120", 120.0), ("999999", 86_400.0), ("Mon, 12 Jan 1970 13:48:40 GMT", 120.0), ("soon", 1.0), ("-5", 1.0),
        ])
    func retryAfter(header: String, expected: Double) {
        let asked = Answer.retryAfter(["Retry-After": header], now: now)

        #expect(schedule(0).next(after: now, failures: 1, retryAfter: asked).timeIntervalSince(now) == expected)
    }

    @Test("times that no number holds are the longest that counts")
    func far() {
        #expect(
            Answer.retryAfter(["Retry-After": "Mon, 12 Jan 1970 13:48:40 GMT"], now: Date(timeIntervalSince1970: -1e30))
                == .seconds(86_400))
        #expect(ServicesText(Array("ttl: 2147483648".utf8)).ttl == CrawlSchedule.longestTTL)
        #expect(ServicesText(Array("ttl: -5".utf8)).ttl == 0)
    }

    @Test("a search is due after seven days, or when there never was one")
    func search() {
        #expect(CrawlSchedule.isSearchDue(nil, now: now))
        #expect(!CrawlSchedule.isSearchDue(now.addingTimeInterval(-6 * 86_400), now: now))
        #expect(CrawlSchedule.isSearchDue(now.addingTimeInterval(-7 * 86_400), now: now))
    }
}
