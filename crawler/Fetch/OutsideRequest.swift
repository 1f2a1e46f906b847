import Base
import Foundation
import NIOCore
import NIOHTTP1
import Traces

/// One request to an address that a stranger named: a client's `jwks_uri`, sector identifier or logout address, a
/// service's events endpoint.
///
/// The name is looked up anew each time, every address of it is checked by the policy of the crawler, and the
/// connection goes to one that was checked. Redirects are answers like others. Plain HTTP is spoken to loopback, where
/// that is allowed, and to what the operator admits by address.
public struct OutsideRequest: Sendable {
    /// What was not asked, or not answered; in words for the log.
    public struct Failed: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    private static let connectTime = Duration.seconds(3)
    private static let headerBytes = 32 << 10
    private static let addressesTried = 3

    private let policy: AddressPolicy
    private let resolver: Resolver
    private let userAgent: String
    private let loopback: Bool

    public init(_ settings: CrawlerSettings, loopback: Bool) {
        self.init(settings, resolver: .system(pins: settings.resolve), loopback: loopback)
    }

    init(_ settings: CrawlerSettings, resolver: Resolver, loopback: Bool) {
        (policy, self.resolver) = (AddressPolicy(allow: settings.allow, deny: settings.deny), resolver)
        (userAgent, self.loopback) = (settings.userAgent, loopback)
    }

    /// - Parameters:
    ///   - post: body and media type; `nil` is a GET.
    ///   - headers: further ones.
    ///   - limit: most bytes of an answer.
    ///   - time: for all of it, the look-up included.
    /// - Returns: the body of a GET. Who is posted to answers by the status; a body of theirs is not read.
    public func send(
        _ text: String, post: (body: String, type: String)? = nil, accept: String = "application/json",
        headers: [(name: String, value: String)] = [],
        limit: Int, within time: Duration
    ) async throws -> (status: Int, body: [UInt8]) {
        let reply = try await ask(text, post: post, accept: accept, headers: headers, limit: limit, within: time)
        return (reply.status, reply.body)
    }

    /// The status, and the seconds after which another try is welcome; the body is not read. As `send`.
    public func post(
        _ text: String, body: String, type: String, limit: Int, within time: Duration, at now: Date
    ) async throws -> (status: Int, retryAfter: Int?) {
        let reply = try await ask(
            text, post: (body, type), accept: "application/json", headers: [], limit: limit, within: time)
        let pause = Answer.retryAfter(reply.head.headers, now: now)
        return (reply.status, pause.map { Int($0.components.seconds) })
    }

    /// In any method, with all that came back: for who looks at how somebody answers. As `send`.
    public func exchange(
        _ method: String, _ text: String, headers: [(name: String, value: String)], body: [UInt8]?, limit: Int,
        within time: Duration
    ) async throws -> (status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        let reply = try await reporting {
            var fields: HTTPHeaders = ["User-Agent": userAgent, "Accept-Encoding": "gzip, deflate"]
            for header in headers + Phase.headers { fields.add(name: header.name, value: header.value) }
            let exchange = HTTPExchange(
                url: try WebURL(text), headers: fields, body: body.map { ByteBuffer(bytes: $0) },
                method: HTTPMethod(rawValue: method), limits: limits(limit), wantsBody: { _ in true })
            return try await send(exchange, until: ExchangeDeadline(in: time))
        }
        return (reply.status, reply.head.headers.map { ($0.name, $0.value) }, reply.body)
    }

    private func ask(
        _ text: String, post: (body: String, type: String)?, accept: String, headers: [(name: String, value: String)],
        limit: Int, within time: Duration
    ) async throws -> HTTPExchange.Reply {
        try await reporting {
            let url = try WebURL(text)
            var fields: HTTPHeaders = ["User-Agent": userAgent, "Accept": accept, "Accept-Encoding": "gzip, deflate"]
            for header in headers + Phase.headers { fields.add(name: header.name, value: header.value) }
            if let post { fields.add(name: "Content-Type", value: post.type) }
            let isPosted = post != nil
            let exchange = HTTPExchange(
                url: url, headers: fields, body: post.map { ByteBuffer(string: $0.body) }, limits: limits(limit),
                wantsBody: { _ in !isPosted })
            return try await send(exchange, until: ExchangeDeadline(in: time))
        }
    }

    private func limits(_ bodyBytes: Int) -> HTTPExchange.Limits {
        HTTPExchange.Limits(
            connectTime: OutsideRequest.connectTime, headerBytes: OutsideRequest.headerBytes, bodyBytes: bodyBytes)
    }

    /// Errors of `body` as `Failed`.
    private func reporting(_ body: () async throws -> HTTPExchange.Reply) async throws -> HTTPExchange.Reply {
        do {
            return try await body()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Failed(description: FetchTrouble.failure(error).detail)
        }
    }

    private func send(
        _ exchange: HTTPExchange, until deadline: ExchangeDeadline
    ) async throws -> HTTPExchange.Reply {
        let url = exchange.url
        let addresses = try await CheckedConnection.addresses(
            of: url, policy, resolver, loopback: loopback, until: deadline)
        guard url.isSecure || addresses.allSatisfy({ policy.admitsPlain($0, loopback: loopback) }) else {
            throw CrawlFailure(.scheme, "\(url.hostText) is asked over TLS only")
        }
        return try await exchange.run(at: addresses.prefix(OutsideRequest.addressesTried), until: deadline)
    }
}
