import SocketIO

/// What one client may cost, beyond what the protocol itself bounds.
public struct SignallingLimits: Sendable {
    public var socket = SocketLimits()
    /// Bytes of one relayed event: a session description has a few thousand.
    public var maxRelayed = 262_144
    /// Bytes that may wait for all clients of a process together.
    public var maxWaitingOfAll = 256_000_000
    /// Sockets of this process, those of one session, and those from one address (IPv4, or the /64 of IPv6): nobody
    /// takes more than a tenth of the places.
    public var maxSockets = 100_000
    public var maxSocketsPerSession = 16
    public var maxSocketsPerAddress = 10_000
    /// Packets from one socket, whatever is in them, and their bytes: so many at once, then so many a second.
    public var eventBurst: Double = 128
    public var eventRate: Double = 32
    public var byteBurst: Double = 262_144
    public var byteRate: Double = 32_768
    /// `link` of one socket, and from one address.
    public var linkBurst: Double = 10
    public var linkRate: Double = 0.2
    public var addressLinkBurst: Double = 400
    public var addressLinkRate: Double = 10

    public init() {}
    public static let standard = SignallingLimits()
}
