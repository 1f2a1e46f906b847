import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Operations
@testable import PowerAuth

@Suite("operations.md 4.9: tokens that read")
struct PhoneTokenTests {
    private func check(_ fixture: PhoneFixture, _ header: TokenHeader) async throws -> PowerAuthRefusal? {
        // As the door does: the header's text is read again.
        switch try await fixture.service.parts.tokens.check(try TokenHeader(parsing: header.text), in: fixture.database)
        {
        case .right: return nil
        case .wrong(let refusal): return refusal
        }
    }

    @Test("digests of every version", arguments: PowerAuthVersion.ofTokens.sorted())
    func versions(version: PowerAuthVersion) async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let token = try await phone.createToken(version < .v32 ? .possessionKnowledge : .possession),
                header = phone.header(token, version: version)

            let outcome = try await fixture.service.parts.tokens.check(header, in: fixture.database)

            guard case .right(let registration, let factor) = outcome else {
                throw PowerAuthPhoneError.distrust("\(outcome)")
            }
            #expect(
                registration.id == phone.activationID && factor == (version < .v32 ? .possessionKnowledge : .possession)
            )
        }
    }

    @Test("an empty plaintext makes a token too, and each is for itself")
    func more() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let first = try await phone.createToken(plaintext: []), second = try await phone.createToken()
            let removed = try await phone.removeToken(first), again = try await phone.removeToken(first)

            let refusals = [
                try await check(fixture, phone.header(first)), try await check(fixture, phone.header(second)),
            ]

            #expect(removed.isOK && again.isOK && refusals == [.tokenUnknown, nil])
        }
    }

    @Test("a nonce is good once, also for fifty at once; a wrong digest uses up none")
    func replay() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let token = try await phone.createToken(), nonce = Randomness.system.bytes(16),
                header = phone.header(token, nonce: nonce)
            let forged = try await check(
                fixture, phone.header(token, nonce: nonce, secret: SecretBytes(Randomness.system.bytes(16))))
            let service = fixture.service, database = fixture.database

            let outcomes = try await crowd(50) { _ in
                if case .right = try await service.parts.tokens.check(header, in: database) { true } else { false }
            }
            let later = try await check(
                fixture, phone.header(token, nonce: nonce, timestamp: Milliseconds.of(fixture.time.now) + 1))

            #expect(forged == .tokenDigestMismatch && outcomes.count { $0 } == 1 && later == .replay)
        }
    }

    @Test(
        "five minutes either way",
        arguments: [(-300_000, nil), (300_000, nil), (-300_001, .timestampOld), (300_001, .timestampAhead)]
            as [(Int64, PowerAuthRefusal?)])
    func window(offset: Int64, expected: PowerAuthRefusal?) async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let token = try await phone.createToken()

            let refused = try await check(
                fixture, phone.header(token, timestamp: Milliseconds.of(fixture.time.now) + offset))

            #expect(refused == expected)
        }
    }

    @Test("wrong digests, unknown tokens, another version's digest")
    func wrong() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let token = try await phone.createToken(), good = phone.header(token)
            let unknown = PowerAuthPhone.Token(id: "00000000-0000-4000-8000-000000000000", secret: token.secret)
            let moved = TokenHeader(
                version: .v32, tokenID: good.tokenID, digest: good.digest, nonce: good.nonce, timestamp: good.timestamp)

            let refusals = [
                try await check(fixture, phone.header(unknown)), try await check(fixture, moved),
                try await check(fixture, phone.header(token, secret: SecretBytes([UInt8](repeating: 0, count: 16)))),
            ]

            #expect(refusals == [.tokenUnknown, .tokenDigestMismatch, .tokenDigestMismatch])
        }
    }

    @Test("tokens of a blocked registration rest, those of a removed one are gone; nobody removes another's")
    func registrations() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated(), other = try await fixture.activated(user: "bob")
            let token = try await phone.createToken(), id = phone.activationID
            _ = try await other.removeToken(token)
            var refusals = [try await check(fixture, phone.header(token))]
            for change in [RegistrationChange.block(reason: "LOST"), .unblock, .remove] {
                _ = try await fixture.service.change(id, change, by: PhoneFixture.bank)
                refusals.append(try await check(fixture, phone.header(token)))
            }

            #expect(refusals == [nil, .activationBlocked, nil, .tokenUnknown])
        }
    }

    @Test("a phone that asks for ever keeps twenty of them")
    func many() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let key = try await phone.temporaryKey(inActivation: true)
            for _ in 0..<22 {
                let (reply, _) = try await phone.sealed("token/create", .tokenCreate, [], .possession, with: key)
                #expect(reply.status == 200)
                fixture.time.advance(0.01)
            }

            let count: Int = try await fixture.database.value("select count(*) from phone_token")
            let last = try await phone.createToken(), refused = try await check(fixture, phone.header(last))
            #expect(count == 20 && refused == nil)
        }
    }
}
