import Database
import Foundation

/// A PgBouncer of the test's own before the server that the tests use, on a Unix-domain socket in a folder that goes
/// with it. It refuses to run as root, so then it runs as whoever owns the server's socket, as only they can reach it.
final class Pooler {
    enum Mode: String, CaseIterable { case session, transaction, statement }

    struct Failed: Error, CustomStringConvertible { let description: String }

    let conninfo: String
    private let folder: URL
    private let process = Process()

    /// - Parameter settings: further lines of its configuration.
    init(_ mode: Mode, settings: String = "") throws {
        let server = try Pooler.parameters(TestDatabase.conninfo())
        guard let host = server["host"], let user = server["user"], let name = server["dbname"] else {
            throw Failed(description: "PANDO_TEST_DATABASE needs host, user and dbname for tests with PgBouncer")
        }
        let owner =
            host.hasPrefix("/")
            ? try FileManager.default.attributesOfItem(atPath: host)[.ownerAccountName] as? String : nil
        folder = URL(filePath: "/tmp/pando-pooler-" + UUID().uuidString.prefix(8).lowercased())
        conninfo = "host=\(folder.path) port=6432 user=\(user) dbname=\(name)"
        let own: [FileAttributeKey: Any] = owner.map { [.ownerAccountName: $0] } ?? [:]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try write("\"\(user)\" \"\"\n", to: "users", own)
        try write(
            """
            [databases]
            \(name) = host=\(host) port=\(server["port"] ?? "5432") dbname=\(name)
            [pgbouncer]
            unix_socket_dir = \(folder.path)
            listen_addr =
            listen_port = 6432
            auth_type = trust
            auth_file = \(folder.path)/users
            pool_mode = \(mode.rawValue)
            default_pool_size = 8
            logfile = \(folder.path)/log
            \(settings)

            """, to: "pgbouncer.ini", own)
        try write("", to: "log", own)
        try FileManager.default.setAttributes(own, ofItemAtPath: folder.path)
        guard FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer") else {
            throw Failed(description: "there is no /usr/sbin/pgbouncer; 'deploy/packages.sh test' installs it")
        }
        process.executableURL = URL(filePath: "/usr/sbin/pgbouncer")
        process.arguments =
            ["-q"] + (geteuid() == 0 ? ["-u", owner ?? "postgres"] : []) + [folder.path + "/pgbouncer.ini"]
        try process.run()
    }

    /// Until it answers, as it needs a moment to start.
    func started() async throws {
        for _ in 0..<3_000 where !FileManager.default.fileExists(atPath: folder.path + "/.s.PGSQL.6432") {
            guard process.isRunning else { throw Failed(description: "PgBouncer did not start: \(log)") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    var log: String { (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? "" }

    /// Waits for nothing: that would keep a thread of all tests.
    func stop() {
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    static func with(_ mode: Mode, settings: String = "", _ body: (Pooler) async throws -> Void) async throws {
        let pooler = try Pooler(mode, settings: settings)
        defer { pooler.stop() }
        try await pooler.started()
        try await body(pooler)
    }

    private func write(_ text: String, to file: String, _ attributes: [FileAttributeKey: Any]) throws {
        let path = folder.appending(path: file).path
        guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else {
            throw Failed(description: "\(path) cannot be written")
        }
        try FileManager.default.setAttributes(attributes, ofItemAtPath: path)
    }

    /// Of `deploy/postgres.sh`'s conninfo, which quotes nothing.
    private static func parameters(_ conninfo: String) -> [String: String] {
        let pairs = conninfo.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
    }
}
