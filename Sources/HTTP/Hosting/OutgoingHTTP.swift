import Base

/// HTTP that this server begins, by what it is for; each is bounded in time and size, and follows no redirects.
public struct OutgoingHTTP: Sendable {
    public typealias Request = OutgoingRequest
    public typealias Answer = OutgoingAnswer

    /// What came of a post whose body is not read.
    public struct Receipt: Sendable {
        public let status: Int
        /// Seconds (RFC 9110, 10.2.3).
        public let retryAfter: Int?

        public init(status: Int, retryAfter: Int? = nil) { (self.status, self.retryAfter) = (status, retryAfter) }
    }

    /// The body of a 200: key sets of issuers and clients, sector identifiers.
    public let fetch: @Sendable (_ url: String) async throws -> [UInt8]
    /// Events and logouts, to whom the federation knows.
    public let push: @Sendable (_ body: String, _ url: String, _ type: String) async throws -> Answer
    /// Forms, to endpoints that services name.
    public let form: @Sendable (_ body: String, _ url: String) async throws -> Receipt
    /// To where a service has asked to be called; the status.
    public let callback: @Sendable (Request) async throws -> Int
    /// To where the operator's own settings point: push services, webhooks, other servers that products ask.
    public let send: @Sendable (Request) async throws -> Answer

    /// To where somebody who administers an institution points: its identity provider. Whatever is answered comes back.
    public let exchange: @Sendable (Request) async throws -> Answer
    /// To the issuer of services that live here, where that is another server; some seconds are given for an answer
    /// that may be held, or large.
    public let ask: @Sendable (Request, _ seconds: Int) async throws -> Answer

    public init(
        fetch: @escaping @Sendable (_ url: String) async throws -> [UInt8],
        push: @escaping @Sendable (_ body: String, _ url: String, _ type: String) async throws -> Answer,
        form: @escaping @Sendable (_ body: String, _ url: String) async throws -> Receipt,
        callback: @escaping @Sendable (Request) async throws -> Int,
        send: @escaping @Sendable (Request) async throws -> Answer,
        exchange: @escaping @Sendable (Request) async throws -> Answer,
        ask: @escaping @Sendable (Request, _ seconds: Int) async throws -> Answer
    ) {
        (self.fetch, self.push, self.form, self.callback, self.send) = (fetch, push, form, callback, send)
        (self.exchange, self.ask) = (exchange, ask)
    }
}
