/// HTTP that somebody begins, as a value: who sends it stands above. Push and HTTP, which know nothing of one another,
/// both begin some.
public struct OutgoingRequest: Sendable {
    public let method: String
    public let url: String
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]

    public init(method: String, url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }
}

/// Body and status, whatever they are.
public struct OutgoingAnswer: Sendable {
    public let status: Int
    public let body: [UInt8]

    public init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }

    public var json: JSONValue? { try? JSONReader.read(body) }
}
