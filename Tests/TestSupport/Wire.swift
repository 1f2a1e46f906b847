import HTTP
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Server
import Synchronization

/// HTTP among the parts of the server, in process: key sets are fetched and events pushed through the router.
public final class Wire: Sendable {
    public struct Push: Sendable {
        public let url: String
        public let body: String
        public let status: Int
        /// Of one that is pushed to where a service has asked for it.
        public var authorization: String?
    }
    struct Away: Error {}

    /// Another way for a request than through the router.
    public typealias Sender = @Sendable (HTTPRequest.Method, _ path: String, HTTPFields, [UInt8]?) async throws -> Reply

    private struct State {
        var sender: Sender?
        var client: (any TestClientProtocol)?
        var pushes: [Push] = []
        var refusal: Int?
        var documents: [String: String] = [:]
        var fetched: [String] = []
        var isRevoked = false
        var forms: [Push] = []
        var receipt: (@Sendable (_ body: String) throws -> OutgoingHTTP.Receipt)?
        var neighbours: [String: Sender] = [:]
        var exchanges: (@Sendable (OutgoingHTTP.Request) async throws -> OutgoingHTTP.Answer)?
    }

    private let state = Mutex(State())

    public init() {}

    func connect(_ client: any TestClientProtocol) { state.withLock { $0.client = client } }
    func connect(_ sender: @escaping Sender) { state.withLock { $0.sender = sender } }

    /// Another server, by the URL of its root: what is pushed there reaches it.
    func connect(_ root: String, _ sender: @escaping Sender) { state.withLock { $0.neighbours[root] = sender } }

    public var pushes: [Push] { state.withLock { $0.pushes } }
    /// The status that all pushes get instead of the receiver's; `nil` lets them through.
    public func refusePushes(_ status: Int?) { state.withLock { $0.refusal = status } }
    /// Forms that were posted to endpoints of services.
    public var forms: [Push] { state.withLock { $0.forms } }
    /// How services answer to them; until somebody says so, nobody answers.
    public func answerForms(_ receipt: @escaping @Sendable (_ body: String) throws -> OutgoingHTTP.Receipt) {
        state.withLock { $0.receipt = receipt }
    }
    /// How identity providers of institutions answer; until somebody says so, nobody does.
    public func answerExchanges(
        _ answer: @escaping @Sendable (OutgoingHTTP.Request) async throws -> OutgoingHTTP.Answer
    ) {
        state.withLock { $0.exchanges = answer }
    }
    /// What a peer outside the server publishes at a URL.
    public func publish(_ document: String, at url: String) { state.withLock { $0.documents[url] = document } }
    /// Every URL that the server asked for, in order.
    public var fetched: [String] { state.withLock { $0.fetched } }
    /// No key set can be fetched.
    public func breakFetches(_ isRevoked: Bool) { state.withLock { $0.isRevoked = isRevoked } }

    /// What the composition sends by: nobody answers but the server itself, and whoever has published something.
    var outgoing: OutgoingHTTP {
        OutgoingHTTP(
            fetch: { try await self.fetch($0) },
            push: { body, url, _ in
                let reply = try await self.push(body, to: url)
                return OutgoingHTTP.Answer(status: reply.status, body: Array(reply.body.utf8))
            },
            form: { try await self.post($0, to: $1) }, callback: { try await self.call($0) },
            send: { _ in throw Away() }, exchange: { try await self.exchange($0) }, ask: { _, _ in throw Away() })
    }

    func fetch(_ url: String) async throws -> [UInt8] {
        let (document, isRevoked) = state.withLock { state in
            state.fetched.append(url)
            return (state.documents[url], state.isRevoked)
        }
        guard !isRevoked else { throw Away() }
        if let document { return Array(document.utf8) }
        let reply = try await send(.get, url)
        guard reply.status == 200 else { throw Away() }
        return Array(reply.body.utf8)
    }

    func exchange(_ request: OutgoingHTTP.Request) async throws -> OutgoingHTTP.Answer {
        guard let answer = state.withLock({ $0.exchanges }) else { throw Away() }
        return try await answer(request)
    }

    public func post(_ body: String, to url: String) async throws -> OutgoingHTTP.Receipt {
        guard let answer = state.withLock({ $0.receipt }) else { throw Away() }
        let receipt = try answer(body)
        state.withLock { $0.forms.append(Push(url: url, body: body, status: receipt.status)) }
        return receipt
    }

    func push(_ body: String, to url: String) async throws -> (status: Int, body: String) {
        let refusal = state.withLock { $0.refusal }
        var answer = (status: refusal ?? 404, body: "")
        if refusal == nil, url.hasPrefix(ServerParts.root) {
            let reply = try await send(
                .post, url, headers: [.contentType: "application/secevent+jwt"], body: Array(body.utf8))
            answer = (reply.status, reply.body)
        } else if refusal == nil,
            let (root, sender) = state.withLock({ $0.neighbours.first { url.hasPrefix($0.key) } })
        {
            let reply = try await sender(
                .post, String(url.dropFirst(root.count)), [.contentType: "application/secevent+jwt"], Array(body.utf8))
            answer = (reply.status, reply.body)
        }
        let push = Push(url: url, body: body, status: answer.status)
        state.withLock { $0.pushes.append(push) }
        return answer
    }

    /// A push to where a service has asked for it: taken, unless pushes are refused.
    func call(_ request: OutgoingHTTP.Request) async throws -> Int {
        guard !request.url.hasPrefix(ServerParts.root) || request.url.hasPrefix(ServerParts.base) else { throw Away() }
        let authorization = request.headers.first { $0.name == "Authorization" }?.value
        return state.withLock { state in
            let status = state.refusal ?? 202
            let body = String(decoding: request.body, as: UTF8.self)
            state.pushes.append(
                Push(url: request.url, body: body, status: status, authorization: authorization))
            return status
        }
    }

    func send(
        _ method: HTTPRequest.Method, _ url: String, headers: HTTPFields = [:], body: [UInt8]? = nil
    ) async throws -> Reply {
        let path = url.hasPrefix(ServerParts.root) ? String(url.dropFirst(ServerParts.root.count)) : url
        let (client, sender) = state.withLock { ($0.client, $0.sender) }
        if let sender { return try await sender(method, path, headers, body) }
        guard let client else { throw Away() }
        return try await client.execute(
            uri: path, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) }
        ) { response in
            Reply(status: response.status.code, headers: response.headers, body: String(buffer: response.body))
        }
    }
}
