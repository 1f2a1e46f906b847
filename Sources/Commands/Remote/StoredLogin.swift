import Administration
import Foundation
import PandoClient

/// What `pando login` got, as it is kept: tokens, and the key that they are bound to. As good as the person's password
/// until it is revoked, so nobody else may read its file.
struct StoredLogin: Codable, Sendable, Redacted {
    let issuer: String
    let clientID: String
    /// The 32 bytes of the private key.
    let key: Data
    var tokens: Tokens

    var description: String { "a login at \(issuer)" }
}

/// The files of logins, one for each server: `$XDG_CONFIG_HOME/pando/NAME.login`, or below `~/.config`.
struct LoginFiles: Sendable {
    let folder: String

    init(environment: [String: String]) {
        let home = environment["HOME"] ?? NSHomeDirectory()
        let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
        folder = base + "/pando"
    }

    /// The servers where somebody is logged in here.
    var issuers: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(LoginFiles.ending) }.sorted().compactMap { name in
            try? read(folder + "/" + name)?.issuer
        }
    }

    /// `nil` where nobody is logged in. Throws `AdminFailure` for a file that others may read, or that holds no login.
    func login(at issuer: String) throws -> StoredLogin? {
        guard let login = try read(path(issuer)), login.issuer == issuer else { return nil }
        return login
    }

    private func read(_ path: String) throws -> StoredLogin? {
        var found = stat()
        guard lstat(path, &found) == 0 else { return nil }
        guard found.st_mode & S_IFMT == S_IFREG, found.st_mode & 0o077 == 0, found.st_uid == getuid() else {
            throw AdminFailure(
                .failed, "\(path) holds a login, and others may read it",
                hint: "`chmod 600 \(path)`; better, log out and in again, since they may have")
        }
        guard let data = FileManager.default.contents(atPath: path),
            let login = try? JSONDecoder().decode(StoredLogin.self, from: data)
        else { throw AdminFailure(.failed, "\(path) holds no login", hint: "`pando login` makes it anew") }
        return login
    }

    /// In place of what was, whole or not at all, and never readable by others.
    func keep(_ login: StoredLogin) throws {
        try makeFolder()
        let target = path(login.issuer), fresh = "\(target).\(getpid())"
        unlink(fresh)
        let descriptor = open(fresh, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { throw unwritable(target) }
        do {
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: try JSONEncoder().encode(login))
            try file.synchronize()
        } catch {
            unlink(fresh)
            throw unwritable(target)
        }
        guard rename(fresh, target) == 0 else {
            unlink(fresh)
            throw unwritable(target)
        }
    }

    func forget(_ issuer: String) { unlink(path(issuer)) }

    /// One command at a time: a refresh token that two use at once ends what both have.
    func holding<Result>(
        _ issuer: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        try makeFolder()
        let place = path(issuer) + ".lock", descriptor = open(place, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable(place) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 { try await Task.sleep(for: .milliseconds(50)) }
        return try await body()
    }

    private static let ending = ".login"

    /// Every server has a name of its own.
    private func path(_ issuer: String) -> String {
        let name = issuer.utf8.map { byte in
            let isPlain = byte == 45 || byte == 46 || (48...57).contains(byte) || (97...122).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "_" + String(byte, radix: 16)
        }
        return "\(folder)/\(name.joined())\(LoginFiles.ending)"
    }

    private func makeFolder() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw unwritable(folder) }
    }

    private func unwritable(_ path: String) -> AdminFailure {
        AdminFailure(.failed, "\(path) cannot be written", hint: "$XDG_CONFIG_HOME says where else")
    }
}
