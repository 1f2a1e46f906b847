import AsyncHTTPClient
import Base
import Crawler
import Foundation
import HTTP
import NIOCore
import Traces

/// HTTP to those whom the federation knows: key sets of issuers and clients, sector identifiers, events, logout
/// endpoints and callbacks. Bounded in time and size; follows no redirects.
///
/// The own issuer is asked wherever it is, for what the federation says there of itself, and so is the one whose
/// services live here (`authorization-server`), which the operator names. All else may have been named
/// by a stranger, so it is asked as the crawler asks: at addresses that it may reach; callbacks always, at the own
/// issuer too.
public struct Peers: Sendable {
    struct Refused: Error, CustomStringConvertible { let description: String }

    private static let timeLimit = Duration.seconds(5)
    private static let sizeLimit = 64 << 10

    /// Of an answer of the issuer: pages of lists with documents, and of events.
    private static let largest = 16 << 20

    static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3), read: .seconds(5)))
        configuration.connectionPool.idleTimeout = .seconds(30)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Holds answers for longer than others may take.
    private static let patient: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3), read: .seconds(60)))
        configuration.connectionPool.idleTimeout = .seconds(30)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    private let own: Set<String>
    private let outside: OutsideRequest

    init(_ settings: Settings) throws {
        own = Set([settings.issuer.origin] + (settings.elsewhere.map { [$0.issuer.origin] } ?? []))
        outside = OutsideRequest(
            try CrawlerSettings(settings, version: Version.text), loopback: settings.allowsLoopbackServices)
    }

    func fetch(_ url: String) async throws -> [UInt8] {
        let answer = try await send(url, post: nil)
        guard answer.status == 200 else { throw Refused(description: "status \(answer.status)") }
        return answer.body
    }

    /// A push (RFC 8935, 2), or another posted body.
    func push(_ body: String, to url: String, type: String) async throws -> OutgoingHTTP.Answer {
        let answer = try await send(url, post: (body, type))
        return OutgoingHTTP.Answer(status: answer.status, body: answer.body)
    }

    /// A revocation (RFC 7009), at an address that the service's document names.
    func post(form: String, to url: String) async throws -> OutgoingHTTP.Receipt {
        let (status, retryAfter) = try await outside.post(
            url, body: form, type: "application/x-www-form-urlencoded", limit: Peers.sizeLimit,
            within: Peers.timeLimit, at: WallClock.system.now())
        return OutgoingHTTP.Receipt(status: status, retryAfter: retryAfter)
    }

    /// A callback of operations, with its signature in the headers; the status, whatever it is.
    func call(_ callback: OutgoingHTTP.Request) async throws -> Int {
        var type = "application/json", headers: [(name: String, value: String)] = []
        for header in callback.headers {
            if header.name.lowercased() == "content-type" { type = header.value } else { headers.append(header) }
        }
        let body = String(decoding: callback.body, as: UTF8.self)
        return try await outside.send(
            callback.url, post: (body, type), headers: headers, limit: Peers.sizeLimit, within: Peers.timeLimit
        ).status
    }

    /// Of an institution's identity provider, which has an address that the crawler may reach.
    func exchange(_ request: OutgoingHTTP.Request) async throws -> OutgoingHTTP.Answer {
        let answer = try await outside.exchange(
            request.method, request.url, headers: request.headers, body: request.body.isEmpty ? nil : request.body,
            limit: Peers.sizeLimit, within: Peers.timeLimit)
        return OutgoingHTTP.Answer(status: answer.status, body: answer.body)
    }

    private func send(_ url: String, post: (body: String, type: String)?) async throws -> (status: Int, body: [UInt8]) {
        guard let origin = WebAddress(url)?.origin, own.contains(origin) else {
            return try await outside.send(url, post: post, limit: Peers.sizeLimit, within: Peers.timeLimit)
        }
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Accept", value: "application/json")
        for header in Phase.headers { request.headers.add(name: header.name, value: header.value) }
        if let post {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: post.type)
            request.body = .bytes(ByteBuffer(string: post.body))
        }
        let response = try await Peers.client.execute(request, timeout: TimeAmount(Peers.timeLimit))
        return (
            Int(response.status.code), Array((try await response.body.collect(upTo: Peers.sizeLimit)).readableBytesView)
        )
    }

    /// To where the operator's own settings point: push services and the webhook. HTTP/2 where the other side speaks
    /// it, as Apple's insists on.
    static func send(_ push: OutgoingHTTP.Request) async throws -> OutgoingHTTP.Answer {
        try await send(push, by: client, limit: sizeLimit, within: timeLimit)
    }

    private static func send(
        _ push: OutgoingHTTP.Request, by client: HTTPClient, limit: Int, within time: Duration
    ) async throws -> OutgoingHTTP.Answer {
        var request = HTTPClientRequest(url: push.url)
        request.method = .init(rawValue: push.method)
        for header in push.headers + Phase.headers { request.headers.add(name: header.name, value: header.value) }
        if !push.body.isEmpty { request.body = .bytes(ByteBuffer(bytes: push.body)) }
        let response = try await client.execute(request, timeout: TimeAmount(time))
        return OutgoingHTTP.Answer(
            status: Int(response.status.code),
            body: Array((try await response.body.collect(upTo: limit)).readableBytesView))
    }

    /// Everything that this server begins.
    static func outgoing(_ settings: Settings) throws -> OutgoingHTTP {
        let peers = try Peers(settings)
        return OutgoingHTTP(
            fetch: { try await peers.fetch($0) }, push: { try await peers.push($0, to: $1, type: $2) },
            form: { try await peers.post(form: $0, to: $1) },
            callback: { try await peers.call($0) }, send: { try await Peers.send($0) },
            exchange: { try await peers.exchange($0) }, ask: { try await Peers.ask($0, seconds: $1) }
        ).traced
    }

    private static func ask(_ question: OutgoingHTTP.Request, seconds: Int) async throws -> OutgoingHTTP.Answer {
        try await send(question, by: patient, limit: largest, within: .seconds(seconds))
    }

    static func close() async throws {
        try await client.shutdown()
        try await patient.shutdown()
    }
}
