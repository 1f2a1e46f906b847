import Dispatch
import Glibc
import Synchronization

/// A web site on 127.0.0.1, one request a connection, that answers what it is told, byte for byte if need be.
final class Site: Sendable {
    struct Request: Sendable {
        let method: String
        let path: String
        /// By name in lower case.
        let headers: [String: String]
        let body: String
    }

    struct Reply: Sendable, CustomStringConvertible {
        var bytes: [UInt8]
        var description: String { String(decoding: bytes.prefix(60), as: UTF8.self) }
        /// Seconds before each of its bytes, for slow sites.
        var pause: Double = 0
        /// Ends the connection by a reset.
        var resets = false

        static let reset = Reply(bytes: [], resets: true)

        static func raw(_ text: String) -> Reply { Reply(bytes: Array(text.utf8)) }

        static func ok(_ body: String, type: String = "text/html", headers: [String: String] = [:]) -> Reply {
            status(200, body, type: type, headers: headers)
        }

        static func status(
            _ status: Int, _ body: String = "", type: String = "text/plain", headers: [String: String] = [:]
        ) -> Reply {
            let length = status == 304 ? [:] : ["Content-Length": String(body.utf8.count)]
            let lines = headers.merging(length) { own, _ in own }.map { "\($0): \($1)\r\n" }.joined()
            return raw("HTTP/1.1 \(status) X\r\nContent-Type: \(type)\r\n\(lines)\r\n" + (status == 304 ? "" : body))
        }

        static func move(_ to: String, _ status: Int = 302) -> Reply { .status(status, headers: ["Location": to]) }
    }

    let port: Int
    private let listener: Int32
    private let accepting = DispatchQueue(label: "site")
    private let serving = DispatchQueue(label: "site.serving", attributes: .concurrent)
    private let pages = Mutex<[String: @Sendable (Request) -> Reply]>([:])
    private let log = Mutex<[Request]>([])

    struct NoSocket: Error {}

    init(_ pages: [String: Reply] = [:]) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let fd = listener
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(fd, $0, length) == 0 && listen(fd, 64) == 0 && getsockname(fd, $0, &length) == 0
            }
        }
        guard bound else { throw NoSocket() }
        port = Int(UInt16(bigEndian: address.sin_port))
        for (path, reply) in pages { set(path, reply) }
        acceptAll()
    }

    var origin: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { log.withLock { $0 } }
    func hits(_ path: String) -> Int { requests.count { $0.path == path } }

    func set(_ path: String, _ reply: Reply) { set(path) { _ in reply } }
    func set(_ path: String, _ page: @escaping @Sendable (Request) -> Reply) { pages.withLock { $0[path] = page } }

    /// Closes only when nobody accepts any more: the number may be another site's at once.
    func stop() {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        accepting.sync { _ = close(listener) }
    }

    private func acceptAll() {
        accepting.async { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                serving.async { self.serve(connection) }
            }
        }
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var head: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 4_096)
        while !String(decoding: head, as: UTF8.self).contains("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            head += buffer.prefix(count)
        }
        let halves = String(decoding: head, as: UTF8.self).split(
            separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = halves[0].split(separator: "\r\n"),
            words = lines.first?.split(separator: " ").map(String.init) ?? []
        let path = words.dropFirst().first ?? "/"
        let pairs = lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1) }.filter { $0.count == 2 }
        let headers = Dictionary(pairs.map { ($0[0].lowercased(), String($0[1].drop { $0 == " " })) }) { first, _ in
            first
        }
        var body = Array(halves[1].utf8)
        while body.count < headers["content-length"].flatMap({ Int($0) }) ?? 0 {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            body += buffer.prefix(count)
        }
        let request = Request(
            method: words.first ?? "", path: path, headers: headers, body: String(decoding: body, as: UTF8.self))
        log.withLock { $0.append(request) }
        let reply = pages.withLock { $0[path] }?(request) ?? .status(404, "none")
        if reply.resets {
            var atOnce = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
        }
        guard reply.pause > 0 else {
            write(connection, reply.bytes[...])
            return
        }
        for byte in reply.bytes {
            usleep(UInt32(reply.pause * 1_000_000))
            guard write(connection, [byte]) else { return }
        }
    }

    @discardableResult
    private func write(_ connection: Int32, _ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
