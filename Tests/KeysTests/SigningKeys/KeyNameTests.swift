import Base
import Synchronization
import Testing

@testable import Keys

@Suite("names of signing keys")
struct KeyNameTests {
    @Test("a key whose kid would begin with a hyphen is not used")
    func hyphen() async throws {
        var bad = Randomness.system.bytes(32)
        while try await !key(bad).publicKey.thumbprint.hasPrefix("-") { bad = Randomness.system.bytes(32) }
        let first = bad, taken = Mutex(0)

        let made = try await PrivateSigningKey.named(
            .es256,
            randomness: Randomness { count in
                taken.withLock {
                    $0 += 1
                    return $0
                } == 1 ? first : Randomness.system.bytes(count)
            })

        #expect(made.key.publicKey.kid?.hasPrefix("-") == false && taken.withLock { $0 } >= 2)
        #expect(try await PrivateSigningKey(pem: made.pem, algorithm: .es256).publicKey.kid == made.key.publicKey.kid)
    }

    private func key(_ scalar: [UInt8]) async throws -> PrivateSigningKey {
        try await PrivateSigningKey(
            pem: PrivateSigningKey.generate(.es256, randomness: Randomness { _ in scalar }), algorithm: .es256)
    }
}
