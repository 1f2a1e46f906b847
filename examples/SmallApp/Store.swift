import Crypto
import Foundation
import PandoClient

/// What an installation keeps, in a file that nobody else reads. On a phone keys are in its key store (`SigningKey`
/// takes a closure that signs), and the rest is encrypted.
public actor Store {
    struct Kept: Codable {
        var issuer: String?
        var device = UUID().uuidString
        /// The registered version, and the instance's id.
        var version: String?
        var instance: String?
        /// By who holds them: this installation, and apps on the same phone.
        var keys: [String: Data] = [:]
        /// By what they are for: `instance`, `person`, and token endpoints of services.
        var tokens: [String: Tokens] = [:]
        /// Token endpoints of services, by their base URLs.
        var endpoints: [String: String] = [:]
    }

    public enum Failure: Error { case unwritable(String), inUse(String) }

    private let path: String
    private let lock: Int32
    private(set) var kept = Kept()

    /// For one process at a time: two that refresh at once would look like a thief.
    public init(path: String) throws {
        self.path = path
        lock = open(path + ".lock", O_CREAT | O_WRONLY, 0o600)
        guard lock >= 0 else { throw Failure.unwritable(path) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw Failure.inUse(path) }
        if let data = FileManager.default.contents(atPath: path) {
            kept = try JSONDecoder().decode(Kept.self, from: data)
        }
    }

    deinit { close(lock) }

    /// The key of a holder, made when it is first asked for.
    func key(of holder: String) throws -> SigningKey {
        if let raw = kept.keys[holder] { return try SigningKey(raw: [UInt8](raw)) }
        let key = P256.Signing.PrivateKey()
        try change { $0.keys[holder] = key.rawRepresentation }
        return SigningKey(key)
    }

    /// For `PandoClient`, which hands over new tokens before anybody uses them.
    nonisolated func keeping(_ name: String) -> @Sendable (Tokens) async throws -> Void {
        { tokens in try await self.change { $0.tokens[name] = tokens } }
    }

    /// Whole or not at all.
    func change(_ change: @Sendable (inout Kept) -> Void) throws {
        change(&kept)
        try write(try JSONEncoder().encode(kept))
    }

    private func write(_ data: Data) throws {
        let new = path + ".new"
        unlink(new)
        let descriptor = open(new, O_CREAT | O_EXCL | O_WRONLY, 0o600)
        guard descriptor >= 0 else { throw Failure.unwritable(new) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: data)
        try file.synchronize()
        try file.close()
        guard rename(new, path) == 0 else { throw Failure.unwritable(path) }
    }

    func discard() {
        kept = Kept()
        unlink(path)
    }
}
