import Base

/// HTTP as a closure: `pando` gives the client (HTTP/2, bounded in time and size), tests a fake.
public struct PushHTTP: Sendable {
    public struct Request: Sendable {
        public let method: String
        public let url: String
        public let headers: [(name: String, value: String)]
        public let body: [UInt8]

        public init(method: String, url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
            (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
        }
    }

    public struct Answer: Sendable {
        public let status: Int
        public let body: [UInt8]

        public init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }

        public var json: JSONValue? { try? JSONReader.read(body) }
    }

    public let send: @Sendable (Request) async throws -> Answer

    public init(send: @escaping @Sendable (Request) async throws -> Answer) { self.send = send }
}
