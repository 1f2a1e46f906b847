import AsyncHTTPClient
import Base
import Foundation
import NIOCore

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
    public func send(
        _ text: String, post: (body: String, type: String)? = nil, accept: String = "application/json",
        headers: [(name: String, value: String)] = [],
        limit: Int, within time: Duration
    ) async throws -> (status: Int, body: [UInt8]) {
        do {
            let url = try WebURL(text)
            return try await CheckedConnection.within(time) {
                try await exchange(url, Asked(post: post, accept: accept, headers: headers), limit)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Failed(description: FetchTrouble.failure(error).detail)
        }
    }

    private struct Asked: Sendable {
        let post: (body: String, type: String)?
        let accept: String
        let headers: [(name: String, value: String)]
    }

    private func exchange(_ url: WebURL, _ asked: Asked, _ limit: Int) async throws -> (status: Int, body: [UInt8]) {
        let addresses = try await CheckedConnection.addresses(of: url, policy, resolver, loopback: loopback)
        guard url.isSecure || addresses.allSatisfy({ policy.admitsPlain($0, loopback: loopback) }) else {
            throw CrawlFailure(.scheme, "\(url.hostText) is asked over TLS only")
        }
        var last: any Error = CrawlFailure(.dns, "no address")
        for address in addresses.prefix(OutsideRequest.addressesTried) {
            do {
                return try await exchange(url, at: address, asked, limit)
            } catch  where FetchTrouble.failure(error).reason == .unreachable && FetchTrouble.isBeforeRequest(error) {
                last = error
            }
        }
        throw last
    }

    private func exchange(
        _ url: WebURL, at address: IPAddress, _ asked: Asked, _ limit: Int
    ) async throws -> (status: Int, body: [UInt8]) {
        var request = HTTPClientRequest(url: url.description)
        request.headers = ["User-Agent": userAgent, "Accept": asked.accept]
        for header in asked.headers { request.headers.add(name: header.name, value: header.value) }
        if let post = asked.post {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: post.type)
            request.body = .bytes(ByteBuffer(string: post.body))
        }
        let client = CheckedConnection.client(
            for: url, at: address, connectTime: OutsideRequest.connectTime, headerBytes: OutsideRequest.headerBytes,
            bodyBytes: limit)
        let result: Result<(status: Int, body: [UInt8]), any Error>
        do {
            let response = try await client.execute(request, deadline: .now() + .seconds(60))
            var body: [UInt8] = []
            for try await chunk in response.body {
                body += chunk.readableBytesView
                guard body.count <= limit else { throw CrawlFailure(.tooLarge, "a body of more than \(limit) bytes") }
            }
            result = .success((Int(response.status.code), body))
        } catch {
            result = .failure(error)
        }
        try? await client.shutdown()
        return try result.get()
    }
}
