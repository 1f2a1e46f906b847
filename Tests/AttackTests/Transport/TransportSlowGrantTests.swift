import Accounts
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import HTTP

/// Grants have so many places in a process (`limit-grants`); what strangers can do about that with a few connections.
@Suite("Attacks by slow bodies on the places of grants (group 58)")
struct TransportSlowGrantTests {
    private func request(_ body: RequestBody) -> Request {
        Request(head: HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/token"), body: body)
    }

    @Test("group 58: whoever sends no body takes no place, and is answered when it has come")
    func noBody() async throws {
        let limit = try #require(LoadLimit(most: 1, tally: RefusalTally(logger: .quiet, clock: .system)))
        let grant = limit.bounding { _, _ in Answer.empty(.ok) }
        let context = RoutedContext(source: .init(channel: NIOAsyncTestingChannel(), logger: .quiet))
        let (asked, isAsked) = AsyncStream<Void>.makeStream(), (sent, sender) = AsyncStream<ByteBuffer>.makeStream()
        // Asked for when the server reads it, and there when the test says so.
        let body = AsyncStream<ByteBuffer>(unfolding: {
            isAsked.yield()
            for await piece in sent { return piece }
            return nil
        })
        let slow = request(RequestBody(asyncSequence: body))

        async let held = grant(slow, context)
        for await _ in asked { break }
        let meanwhile = try await grant(request(RequestBody(buffer: ByteBuffer())), context)
        sender.finish()
        let late = try await held

        #expect(meanwhile.status == .ok && late.status == .ok)
    }
}
