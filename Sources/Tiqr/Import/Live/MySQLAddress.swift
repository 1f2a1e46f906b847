/// Where a MySQL or MariaDB is, and how it is spoken to, in the words of MySQL's own tools.
struct MySQLAddress: Sendable, Equatable {
    /// Their `--ssl-mode`, without those that look at half of it.
    enum Encryption: String, Sendable, CaseIterable {
        case disabled = "DISABLED"
        /// By whoever answers.
        case required = "REQUIRED"
        case verifyIdentity = "VERIFY_IDENTITY"
    }

    enum Place: Sendable, Equatable {
        case network(host: String, port: UInt16)
        /// `nil` for the library's own.
        case socket(String?)
    }

    /// `nil` for that of the process.
    let user: String?
    let place: Place
    let database: String
    let encryption: Encryption
    /// A file of certificates in PEM; the system's without it.
    let authority: String?

    init(_ url: LiveURL) throws(LiveSource.Unacceptable) {
        var parameters: [String: String] = [:]
        for (name, value) in url.items {
            guard ["ssl-mode", "ssl-ca", "socket"].contains(name), !value.isEmpty else {
                throw .init("--from: mysql:// takes the parameters ssl-mode, ssl-ca and socket, with a value")
            }
            parameters[name] = value
        }
        guard !url.path.isEmpty, !url.path.contains("/") else {
            throw .init("--from: mysql://USER@HOST/DATABASE names a database")
        }
        guard let only = url.authorities.first, url.authorities.count == 1 else {
            throw .init("--from: mysql:// has one host")
        }
        (user, database, authority) = (url.user, url.path, parameters["ssl-ca"])
        place = try MySQLAddress.place(LiveURL.split(only), socket: parameters["socket"])
        let isNear = if case .network(let host, _) = place { LiveURL.isLoopback(host) } else { true }
        if let mode = parameters["ssl-mode"] {
            guard let encryption = Encryption(rawValue: mode.uppercased()) else {
                throw .init("--from: ssl-mode is VERIFY_IDENTITY, REQUIRED or DISABLED")
            }
            guard authority == nil || encryption == .verifyIdentity else {
                throw .init("--from: ssl-ca is looked at with ssl-mode=VERIFY_IDENTITY only")
            }
            self.encryption = encryption
        } else {
            encryption = isNear && authority == nil ? .disabled : .verifyIdentity
        }
        if case .socket = place, encryption != .disabled { throw .init("--from: a socket has no TLS") }
    }

    private static func place(
        _ given: (host: String, port: String?), socket: String?
    ) throws(LiveSource.Unacceptable) -> Place {
        guard !given.host.isEmpty else {
            guard given.port == nil else { throw .init("--from: a port stands behind a host") }
            return .socket(socket)
        }
        guard socket == nil else { throw .init("--from: a host or a socket, not both") }
        guard given.host.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) else {
            throw .init("--from: a host of mysql:// is a name in ASCII, or an address")
        }
        guard let port = UInt16(given.port ?? "3306"), port > 0 else {
            throw .init("--from: a port is a number from 1 to 65535")
        }
        return .network(host: given.host, port: port)
    }
}
