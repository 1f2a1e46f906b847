import Foundation

/// What one client may cost. The times are Socket.IO's own defaults, in seconds.
public struct SocketLimits: Sendable {
    public var pingInterval: TimeInterval = 25
    public var pingTimeout: TimeInterval = 20
    public var upgradeTimeout: TimeInterval = 10
    public var connectTimeout: TimeInterval = 45
    /// Bytes of a request body and of a frame: the largest event, and what stands around it.
    public var maxPayload = 300_000
    /// Packets in one request body, events not yet dealt with, and packets not yet fetched.
    public var maxPackets = 256
    /// Bytes that may wait for one client to fetch or take them, or to be dealt with.
    public var maxWaiting = 524_288
    /// A socket is closed after so long, and its client comes again.
    public var lifetime: TimeInterval = 86_400
    public var namespaces: Set<String> = ["/"]

    public init() {}
    public static let standard = SocketLimits()
}
