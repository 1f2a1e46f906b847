import Base
import Foundation
import Synchronization
import Testing

@testable import Crawler

@Suite("What a search waits for, and what it believes", .timeLimit(.minutes(30)))
struct FetchBoundsTests {
    private func session(
        _ resolver: Resolver = .system(pins: .none), gate: HostGate = HostGate(), allow: [String] = [],
        loopback: Bool = true, port: Int? = nil,
        adjust: (inout FetchPolicy) -> Void = { _ in }
    ) -> FetchSession {
        var policy = FetchPolicy(
            addresses: AddressPolicy(allow: allow.compactMap { CIDR($0) }, deny: []), userAgent: "PandoCrawler/test")
        adjust(&policy)
        return FetchSession(
            policy: policy, resolver: resolver, gate: gate, clock: .system, loopback: loopback, loopbackPort: port)
    }

    private func reason(
        _ session: FetchSession, _ url: String, validators: Validators? = nil
    ) async throws -> CrawlReason? {
        do {
            _ = try await session.document(try WebURL(url), validators: validators)
            return nil
        } catch let failure as CrawlFailure {
            return failure.reason
        }
    }

    @Test("a name whose look-up did not end in time is not looked up again")
    func names() async throws {
        let asked = Counter()
        let slow = Resolver { _ in
            asked.add()
            try await Task.sleep(for: .seconds(600))
            return []
        }
        let session = session(slow) { $0.answerTime = .seconds(10) }

        let first = try await reason(session, "http://slow.example/"),
            second = try await reason(session, "http://slow.example/x")
        await session.close()

        #expect(first == .timeout && second == .dns && asked.count == 1)
    }

    @Test("waiting at a busy host's gate ends, and nothing is asked")
    func gate() async throws {
        let gate = HostGate(), session = session(gate: gate) { $0.gateTime = .milliseconds(100) }
        for _ in 0..<2 { _ = try await gate.enter("127.0.0.1") }

        let end = try await reason(session, "http://127.0.0.1:1024/"), trail = await session.trail
        await session.close()

        #expect(end == .timeout && trail.isEmpty)
    }

    @Test("loopback is permitted at the base's own port only")
    func port() async throws {
        let own = try Site(["/": .ok("own")]), other = try Site(["/": .ok("other")])
        defer {
            own.stop()
            other.stop()
        }
        let session = session(port: own.port)

        let good = try await reason(session, own.origin + "/"), bad = try await reason(session, other.origin + "/")
        await session.close()

        #expect(good == nil && bad == .address && other.requests.isEmpty)
    }

    @Test("304 counts for what was asked conditionally, not behind a redirect or without validators")
    func notModified() async throws {
        let site = try Site(["/same": .status(304), "/moved": .move("/same")])
        defer { site.stop() }
        let session = session(), known = Validators(etag: "\"v\"")

        let same = try await reason(session, site.origin + "/same", validators: known),
            moved = try await reason(session, site.origin + "/moved", validators: known)
        let bare = try await reason(session, site.origin + "/same", validators: Validators())
        await session.close()

        #expect(same == nil && moved == .httpStatus && bare == .httpStatus)
    }

    @Test("blocking work runs so many at a time, and all of it runs")
    func places() async {
        let work = BlockingWork("test", atMost: 2), done = Counter(), seen = Peak()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    await work.run {
                        seen.enter()
                        Thread.sleep(forTimeInterval: 0.01)
                        seen.leave()
                        done.add()
                    }
                }
            }
        }

        #expect(done.count == 12 && seen.most <= 2)
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
}

private final class Peak: Sendable {
    private let value = Mutex((now: 0, most: 0))
    var most: Int { value.withLock { $0.most } }
    func enter() { value.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func leave() { value.withLock { $0.now -= 1 } }
}
