/// Why a request is no part of an Engine.IO session; raw values and messages are the reference server's.
public enum EngineRefusal: Int, Error, Sendable, Equatable, CaseIterable {
    case unknownTransport = 0
    case unknownSession = 1
    case badMethod = 2
    case badRequest = 3
    case forbidden = 4
    case unsupportedVersion = 5

    public var message: String {
        switch self {
        case .unknownTransport: "Transport unknown"
        case .unknownSession: "Session ID unknown"
        case .badMethod: "Bad handshake method"
        case .badRequest: "Bad request"
        case .forbidden: "Forbidden"
        case .unsupportedVersion: "Unsupported protocol version"
        }
    }
}

/// What is answered over HTTP.
public enum EngineReply: Sendable, Equatable {
    /// 200, `text/plain; charset=UTF-8`.
    case payload(String)
    /// 200, `ok`, for a POST.
    case taken
    /// 400, `{"code":…,"message":…}`.
    case refused(EngineRefusal)
    /// 413.
    case tooLarge
    /// 503: this server has as many sockets as it takes.
    case full
}

/// What a request to `/socket.io/` asks for, by its method and query alone (engine.io-protocol 4, "HTTP long-polling"
/// and "WebSocket").
public enum EngineRequest: Sendable, Equatable {
    case open
    case poll(sid: String)
    case post(sid: String)
    /// Of a new session, or to upgrade one.
    case socket(sid: String?)

    static let longestSID = 128

    /// `isUpgrade`: it asks to become a WebSocket. Names that are not the protocol's (`t`, `b64`) are ignored; its own
    /// may stand once.
    public static func read(
        method: String, query: [(name: String, value: String)], isUpgrade: Bool
    ) throws(EngineRefusal) -> EngineRequest {
        func one(_ name: String) throws(EngineRefusal) -> String? {
            let values = query.filter { $0.name == name }
            guard values.count <= 1 else { throw .badRequest }
            return values.first?.value
        }
        guard let transport = try one("transport"), transport == "polling" || transport == "websocket" else {
            throw .unknownTransport
        }
        guard try one("EIO") == "4" else { throw .unsupportedVersion }
        let sid = try one("sid")
        if let sid, sid.isEmpty || sid.utf8.count > longestSID { throw .unknownSession }
        guard isUpgrade == (transport == "websocket") else {
            throw method == "GET" || sid != nil ? EngineRefusal.badRequest : EngineRefusal.badMethod
        }
        switch (method, transport, sid) {
        case ("GET", "websocket", let sid): return .socket(sid: sid)
        case ("GET", _, nil): return .open
        case ("GET", _, let sid?): return .poll(sid: sid)
        case ("POST", "polling", let sid?): return .post(sid: sid)
        default: throw .badMethod
        }
    }
}
