import Glibc

/// A port that neither takes connections nor refuses them: its queue is full, so the kernel passes over whoever calls.
struct SilentPort {
    struct NoSocket: Error {}

    private let sockets: [Int32]

    init(at address: String, _ port: Int) throws {
        let kind = Int32(SOCK_STREAM.rawValue)
        let listener = socket(AF_INET, kind, 0)
        // A queue of length 0 holds one; a few more make sure.
        let callers = (0..<4).map { _ in socket(AF_INET, kind | Int32(SOCK_NONBLOCK.rawValue), 0) }
        sockets = callers + [listener]
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = inet_addr(address)
        name.sin_port = in_port_t(port).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isFull = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                guard bind(listener, name, length) == 0, listen(listener, 0) == 0 else { return false }
                return callers.allSatisfy { connect($0, name, length) == 0 || errno == EINPROGRESS }
            }
        }
        guard isFull else {
            close()
            throw NoSocket()
        }
    }

    func close() { for socket in sockets { Glibc.close(socket) } }
}
