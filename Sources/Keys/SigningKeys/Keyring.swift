import Base
import Foundation
import Logging

/// The rows of `signing_key` as keys that can be used, in one consistent reading.
struct Keyring: Sendable {
    struct Entry: Sendable {
        let row: SigningKeyRow
        let publicKey: JSONWebKey
        /// `nil` unless active. A key that does not open is a failure of signing alone: its public half still verifies.
        let signer: Result<PrivateSigningKey, SigningKeys.Failure>?
    }

    /// Oldest first.
    let entries: [Entry]
    /// Which change of the table this reading knows at least.
    let version: Int

    subscript(kid: String) -> Entry? { entries.first { $0.row.kid == kid } }

    func active(_ algorithm: SigningAlgorithm) throws(SigningKeys.Failure) -> PrivateSigningKey {
        guard let signer = activeEntry(algorithm)?.signer else { throw .noActiveKey(algorithm) }
        return try signer.get()
    }

    func activeKid(_ algorithm: SigningAlgorithm) -> String? { activeEntry(algorithm)?.row.kid }

    private func activeEntry(_ algorithm: SigningAlgorithm) -> Entry? {
        entries.first { $0.row.status == .active && $0.row.alg == algorithm.rawValue }
    }

    /// RFC 7517, 5: what signs now, what will, what did, newest first.
    func published(at now: Date) -> JSONValue {
        let order: [SigningKeyRow.Status] = [.active, .next, .retiring]
        let keys = order.flatMap { status in
            entries.reversed().filter { $0.row.status == status && $0.row.isPublished(at: now) }.map(\.publicKey.json)
        }
        return ["keys": .array(keys)]
    }

    /// Parses what `previous` does not hold already: a kid always means the same key.
    init(
        _ rows: [SigningKeyRow], previous: Keyring?, version: Int, logger: Logger,
        open: (SigningKeyRow) throws(SigningKeys.Failure) -> SecretBytes
    ) async {
        var entries: [Entry] = []
        for row in rows {
            let known = previous?[row.kid]
            guard let publicKey = try? await Keyring.publicKey(row, known) else {
                // A newer version of this program may know more algorithms; its keys are not ours to judge.
                logger.warning(
                    "a signing key cannot be read and is left out",
                    metadata: ["kid": "\(row.kid)", "alg": "\(row.alg)"])
                continue
            }
            entries.append(Entry(row: row, publicKey: publicKey, signer: await Keyring.signer(row, known, open: open)))
        }
        self.entries = entries
        self.version = version
    }

    private static func publicKey(_ row: SigningKeyRow, _ known: Entry?) async throws -> JSONWebKey {
        if let known { return known.publicKey }
        var key = try await JSONWebKey(row.publicKey)
        key.kid = row.kid
        return key
    }

    private static func signer(
        _ row: SigningKeyRow, _ known: Entry?, open: (SigningKeyRow) throws(SigningKeys.Failure) -> SecretBytes
    ) async -> Result<PrivateSigningKey, SigningKeys.Failure>? {
        guard row.status == .active else { return nil }
        if case .success(let key)? = known?.signer { return .success(key) }
        do {
            let pem = try open(row)
            guard let algorithm = SigningAlgorithm(rawValue: row.alg),
                let key = try? await PrivateSigningKey(pem: pem, algorithm: algorithm),
                key.publicKey.thumbprint == row.kid
            else { return .failure(.damaged(kid: row.kid)) }
            return .success(key)
        } catch {
            return .failure(error)
        }
    }
}
