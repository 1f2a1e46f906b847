import Base
import Database
import Keys

/// What pushes of streams carry as `Authorization`, sealed at rest under a key of their own, which the master key
/// seals: so that a new master key finds them as they are.
struct StreamHeaders: Sendable {
    private static let name = "event streams"

    let secrets: SealedSecrets

    func seal(_ header: String, of stream: String, in executor: any SQLExecutor) async throws -> [UInt8] {
        try await key(executor).seal(SecretBytes(Array(header.utf8)), row: StreamHeaders.row(stream))
    }

    func open(_ sealed: [UInt8], of stream: String, in executor: any SQLExecutor) async throws -> String {
        let header = try await key(executor).open(sealed, row: StreamHeaders.row(stream))
        return header.expose { String(decoding: $0, as: UTF8.self) }
    }

    private func key(_ executor: any SQLExecutor) async throws -> MasterKey {
        try MasterKey(try await secrets.named(StreamHeaders.name, in: executor))
    }

    private static func row(_ stream: String) -> String { "event_stream \(stream)" }
}
