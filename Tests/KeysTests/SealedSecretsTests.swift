import Base
import Database
import Foundation
import Testing

@testable import Keys

@Suite("decisions.md, The server 3: sealed secrets under another master key")
struct SealedSecretsTests {
    private func key(_ byte: UInt8) throws -> MasterKey {
        try MasterKey(SecretBytes([UInt8](repeating: byte, count: 32)))
    }

    private func secrets(_ byte: UInt8) throws -> SealedSecrets {
        SealedSecrets(master: try key(byte), clock: .system, randomness: .system)
    }

    @Test(
        "resealing keeps what is sealed, and only the new key opens it afterwards; a second time there is nothing to do"
    )
    func reseal() async throws {
        try await TestSchema.with { schema in
            let before = try secrets(1), after = try secrets(2), successor = try key(2)
            let (first, second) = (
                try await before.named("refresh tokens", in: schema.database),
                try await before.named("nonces", in: schema.database)
            )

            let count = try await schema.database.transaction { try await before.reseal(under: successor, in: $0) }
            let again = try await schema.database.transaction { try await before.reseal(under: successor, in: $0) }

            let (same, too) = (
                try await after.named("refresh tokens", in: schema.database),
                try await after.named("nonces", in: schema.database)
            )
            #expect(count == 2 && again == 0)
            #expect(first == same && second == too && first != second)
            await #expect(throws: MasterKey.Unsealable.self) { try await before.named("nonces", in: schema.database) }
        }
    }

    @Test("a secret that a third key sealed is refused by name, and the others stay as they were")
    func thirdKey() async throws {
        try await TestSchema.with { schema in
            let ours = try secrets(1), successor = try key(2)
            let kept = try await ours.named("a", in: schema.database)
            _ = try await secrets(3).named("b", in: schema.database)

            let refusal = SealedSecrets.OtherMasterKey(name: "b", sealedBy: try key(3).id, ours: try key(1).id)
            await #expect(throws: refusal) {
                try await schema.database.transaction { try await ours.reseal(under: successor, in: $0) }
            }

            let same = try await ours.named("a", in: schema.database)
            #expect(same == kept)
        }
    }
}
