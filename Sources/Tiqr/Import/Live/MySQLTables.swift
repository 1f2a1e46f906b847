import Dispatch
import Foundation

/// Reads the tables of an old server in MySQL or MariaDB: in one transaction that only reads and sees one moment.
///
/// The library waits, so all of it happens on a queue of its own. The server is not trusted: it may ask for no file of
/// this machine (LOCAL INFILE), and for a password in plain text only where nobody else can have asked.
enum MySQLTables {
    static func read(
        _ names: LiveTables.Names, at address: MySQLAddress, password: String?
    ) async throws -> LiveTables {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "pando.mysql").async {
                continuation.resume(with: Result { try readNow(names, at: address, password: password) })
            }
        }
    }

    private static func readNow(
        _ names: LiveTables.Names, at address: MySQLAddress, password: String?
    ) throws -> LiveTables {
        let session = try MySQLSession(address, password: password)
        defer { session.close() }
        _ = try session.rows("start transaction with consistent snapshot, read only")
        let asked = try LiveTables.Question.users(names, there: try session.columns(of: names.users))
        let users = ExportedTable(asked, rows: try session.rows(of: asked))
        guard let table = names.secrets else { return LiveTables(users: users, secrets: nil) }
        let question = try LiveTables.Question.secrets(table, there: try session.columns(of: table))
        return LiveTables(users: users, secrets: ExportedTable(question, rows: try session.rows(of: question)))
    }
}

/// One connection, for one thread.
private struct MySQLSession {
    private let library: MySQLLibrary
    private let connection: MySQLLibrary.Connection

    init(_ address: MySQLAddress, password: String?) throws(LiveFailure) {
        library = try MySQLLibrary()
        guard let made = library.start(nil) else { throw .unreachable("out of memory") }
        connection = made
        do throws(LiveFailure) {
            try configure(address)
            try open(address, password)
        } catch {
            close()
            throw error
        }
    }

    func close() { library.close(connection) }

    private func configure(_ address: MySQLAddress) throws(LiveFailure) {
        try set(.connectTimeout, 10 as UInt32)
        try set(.readTimeout, 60 as UInt32)
        try set(.writeTimeout, 60 as UInt32)
        try set(.localInfile, 0 as UInt32)
        try set(.characterSet, "utf8mb4")
        var isNetwork = false
        if case .network = address.place { isNetwork = true }
        try set(.transport, (isNetwork ? MySQLLibrary.Transport.tcp : .socket).rawValue)
        let isCertain = !isNetwork || address.encryption == .verifyIdentity
        try set(
            .restrictedAuthentication,
            "mysql_native_password,client_ed25519,caching_sha2_password,sha256_password"
                + (isCertain ? ",mysql_clear_password" : ""))
        guard address.encryption != .disabled else { return }
        try set(.enforceTLS, 1 as UInt8)
        if let authority = address.authority { try set(.authority, authority) }
        try set(.verifyServer, (address.encryption == .verifyIdentity ? 1 : 0) as UInt8)
    }

    private func open(_ address: MySQLAddress, _ password: String?) throws(LiveFailure) {
        var (host, port, socket): (String?, UInt16, String?) = (nil, 0, nil)
        switch address.place {
        case .network(let name, let number): (host, port) = (name, number)
        case .socket(let path): socket = path
        }
        let isOpen =
            library.connect(
                connection, host, address.user, password, address.database, UInt32(port), socket, 0) != nil
        guard isOpen else { throw .unreachable(loginReason) }
        // Told to enforce TLS but not to verify, it goes on in plain text with a server that has none.
        guard address.encryption == .disabled || library.cipher(connection) != nil else {
            throw .unreachable("it has no TLS; ssl-mode=DISABLED does without")
        }
    }

    /// What the library says of a way to log in that it does not go has the name of it from memory that is in use for
    /// other things by then.
    private var loginReason: String {
        MySQLSession.unknownLogins.contains(library.errorNumber(connection))
            ? "it asks for a way to log in that is not known here, or would show it the password" : reason
    }

    /// `CR_AUTH_PLUGIN_CANNOT_LOAD` and `CR_PLUGIN_NOT_ALLOWED` of its `errmsg.h`.
    private static let unknownLogins: Set<UInt32> = [2059, 5010]

    private func set<Value: BitwiseCopyable>(
        _ option: MySQLLibrary.Option, _ value: Value
    ) throws(LiveFailure) {
        let result = withUnsafePointer(to: value) { library.set(connection, option.rawValue, $0) }
        guard result == 0 else { throw .noLibrary }
    }

    private func set(_ option: MySQLLibrary.Option, _ text: String) throws(LiveFailure) {
        let result = text.withCString { library.set(connection, option.rawValue, $0) }
        guard result == 0 else { throw .noLibrary }
    }

    private var reason: String { library.errorText(connection).map { String(cString: $0) } ?? "" }

    func columns(of table: String) throws(LiveFailure) -> [String] {
        do throws(LiveFailure) {
            return try rows("show columns from \(MySQLSession.quoted(table))").compactMap(\.first).compactMap(\.self)
        } catch {
            guard library.errorNumber(connection) == MySQLSession.noSuchTable else { throw error }
            throw .noTable(table)
        }
    }

    private static let noSuchTable: UInt32 = 1146

    func rows(of question: LiveTables.Question) throws(LiveFailure) -> [[String?]] {
        let columns = question.columns.map(MySQLSession.quoted).joined(separator: ", ")
        let order = question.columns.prefix(1).map(MySQLSession.quoted).joined()
        return try rows("select \(columns) from \(MySQLSession.quoted(question.table)) order by \(order)")
    }

    func rows(_ statement: String) throws(LiveFailure) -> [[String?]] {
        guard library.query(connection, statement, UInt(statement.utf8.count)) == 0 else { throw .refused(reason) }
        guard let result = library.result(connection) else {
            guard library.errorNumber(connection) == 0 else { throw .refused(reason) }
            return []
        }
        defer { library.free(result) }
        let width = Int(library.width(result))
        var rows: [[String?]] = []
        while let fields = library.row(result), let lengths = library.lengths(result) {
            rows.append(
                (0..<width).map { place in
                    fields[place].map { start in
                        let bytes = UnsafeRawBufferPointer(start: start, count: Int(lengths[place]))
                        return String(decoding: bytes, as: UTF8.self)
                    }
                })
        }
        guard library.errorNumber(connection) == 0 else { throw .refused(reason) }
        return rows
    }

    /// The same in every `sql_mode`.
    private static func quoted(_ name: String) -> String { "`\(name.replacing("`", with: "``"))`" }
}
