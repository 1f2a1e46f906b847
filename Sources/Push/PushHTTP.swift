import Base

/// HTTP as a closure: `pando` gives the client (HTTP/2, bounded in time and size), tests a fake.
public struct PushHTTP: Sendable {
    public typealias Request = OutgoingRequest
    public typealias Answer = OutgoingAnswer

    public let send: @Sendable (Request) async throws -> Answer

    public init(send: @escaping @Sendable (Request) async throws -> Answer) { self.send = send }
}
