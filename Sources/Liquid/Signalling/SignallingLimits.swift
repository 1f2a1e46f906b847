import Foundation

/// What one client may cost. The first four are Socket.IO's own defaults (protocols/liquid.md, 4).
public struct SignallingLimits: Sendable {
    public var pingInterval: TimeInterval = 25
    public var pingTimeout: TimeInterval = 20
    public var upgradeTimeout: TimeInterval = 10
    public var connectTimeout: TimeInterval = 45
    /// Bytes of a request body and of a frame: the largest event that is relayed, and what stands around it.
    public var maxPayload = 300_000
    /// Bytes of one relayed event: a session description has a few thousand.
    public var maxRelayed = 262_144
    /// Packets in one request body, events not yet dealt with, and packets not yet fetched.
    public var maxPackets = 256
    /// Bytes that may wait for one client to fetch or take them, or to be dealt with; and for all clients of a process together.
    public var maxWaiting = 524_288
    public var maxWaitingOfAll = 256_000_000
    /// Sockets of this process, those of one session, and those from one address (IPv4, or the /64 of IPv6): nobody takes more than a tenth of the places.
    public var maxSockets = 100_000
    public var maxSocketsPerSession = 16
    public var maxSocketsPerAddress = 10_000
    /// A socket is closed after so long, and its client comes again with its cookie.
    public var lifetime: TimeInterval = 86_400
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
    public var namespaces: Set<String> = ["/"]

    public init() {}
    public static let standard = SignallingLimits()
}
