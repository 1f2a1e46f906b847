import Base
import Database
import Keys

extension Composition {
    /// What the server keeps secret beside its signing keys: the master key, and four that are sealed by it.
    public struct Secrets: Sendable {
        let master: MasterKey
        let refreshTokens: SecretBytes
        let pairwiseNames: SecretBytes
        let proofNonces: SecretBytes
        /// Seals mail that waits, and hashes recovery codes.
        let recovery: SecretBytes
        /// Seals answers of the administration API.
        var answers: SecretBytes {
            recovery.expose { SecretBytes(Digest.hmac(key: SecretBytes($0), "admin answers".utf8)) }
        }

        public init(
            master: MasterKey, refreshTokens: SecretBytes, pairwiseNames: SecretBytes, proofNonces: SecretBytes,
            recovery: SecretBytes? = nil
        ) {
            self.recovery = recovery ?? master.derive("recovery")
            (self.master, self.refreshTokens) = (master, refreshTokens)
            (self.pairwiseNames, self.proofNonces) = (pairwiseNames, proofNonces)
        }

        /// Opens those that the database keeps sealed; the first who asks makes them.
        static func opened(
            by master: MasterKey, in database: Database, clock: WallClock, randomness: Randomness
        ) async throws -> Secrets {
            let sealed = SealedSecrets(master: master, clock: clock, randomness: randomness)
            return Secrets(
                master: master, refreshTokens: try await sealed.named("refresh tokens", in: database),
                pairwiseNames: try await sealed.named("pairwise names", in: database),
                proofNonces: try await sealed.named("dpop nonces", in: database),
                recovery: try await sealed.named("recovery", in: database))
        }
    }
}
