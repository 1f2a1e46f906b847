import Base
import Database
import PowerAuth

/// Rows of `phone_application_key`: what an application signs with in protocol 4 (docs/operations.md, "PowerAuth 4").
/// Apps are built with the public halves, so those that are there are never made anew.
struct ApplicationKeys: Sendable {
    /// A scalar of P-384, then the seeds of ML-DSA-65 and ML-DSA-87.
    private static let scalar = 48

    let vault: SealedColumns
    let clock: WallClock

    /// Of two who switch protocol 4 on at once, the first makes them.
    func make(for application: PhoneApplication, in transaction: any SQLExecutor) async throws {
        let three = try HybridKeyPair.fresh(.p384ML3), five = try HybridKeyPair.fresh(.p384ML5)
        let seed = five.privateBytes.expose { Array($0.dropFirst(ApplicationKeys.scalar)) }
        let all = SecretBytes(three.privateBytes.expose { Array($0) } + seed)
        let sealed = try vault.seal(all, .applicationKeys, of: application.id)
        _ = try await transaction.execute(
            """
            insert into phone_application_key (application, ecdsa, mldsa65, mldsa87, private, sealed_by, created_at)
            values (\(application.id), \(three.publicKey.ecdsa), \(three.publicKey.mldsa ?? []),
                \(five.publicKey.mldsa ?? []), \(sealed.bytes), \(sealed.by), \(clock.now()))
            on conflict (application) do nothing
            """)
    }

    /// The public halves for each algorithm; none where protocol 4 was never taken.
    func published(of application: PhoneApplication, in executor: any SQLExecutor) async throws -> [HybridPublicKey] {
        let row = try await executor.query(
            """
            select k.ecdsa, k.mldsa65, k.mldsa87 from phone_application_key k where k.application = \(application.id)
            """
        ).first
        guard let row else { return [] }
        let ecdsa: [UInt8] = try row("ecdsa")
        return [
            try HybridPublicKey(.p384, ecdsa: ecdsa, mldsa: nil),
            try HybridPublicKey(.p384ML3, ecdsa: ecdsa, mldsa: try row("mldsa65") as [UInt8]),
            try HybridPublicKey(.p384ML5, ecdsa: ecdsa, mldsa: try row("mldsa87") as [UInt8]),
        ]
    }

    /// What signs for phones of `algorithm`.
    func signer(
        of application: String, _ algorithm: SharedSecretAlgorithm, in executor: any SQLExecutor
    ) async throws -> HybridKeyPair {
        let row = try await executor.query(
            "select k.private, k.sealed_by from phone_application_key k where k.application = \(application)"
        ).first
        guard let row, let sealed = try Sealed(row, "private", by: "sealed_by") else {
            throw PowerAuthRefusal.algorithmUnsupported
        }
        let all = try vault.open(sealed, .applicationKeys, of: application).expose { Array($0) }
        guard all.count == ApplicationKeys.scalar + 64 else { throw PowerAuthRefusal.keyMalformed }
        let scalar = all.prefix(ApplicationKeys.scalar)
        let own: [UInt8] =
            switch algorithm {
            case .p384: Array(scalar)
            case .p384ML3: Array(scalar + all.dropFirst(ApplicationKeys.scalar).prefix(32))
            case .p384ML5: Array(scalar + all.suffix(32))
            }
        return try HybridKeyPair(algorithm, privateBytes: SecretBytes(own))
    }
}
