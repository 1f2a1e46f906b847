import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import Passkeys
@testable import WebAuthn

@Suite("Liquid: at once")
struct WalletRaceTests {
    private static func outcome(_ body: @Sendable () async throws -> EnteredUser) async throws -> LiquidRefusal? {
        try await LiquidFixture.refusal { _ = try await body() }
    }

    @Test("of eight answers to one challenge one is looked at")
    func oneAnswer() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet()
            let registering = try await fixture.presented(),
                creation = try wallet.attestation(try await fixture.creation(registering))
            let first = try await crowd(8) { _ in
                try await Self.outcome { try await fixture.service.attest(creation, by: registering) }
            }
            #expect(first.count(where: { $0 == nil }) == 1 && first.count(where: { $0 == .challengeNotFound }) == 7)

            let presented = try await fixture.presented(),
                body = try wallet.assertion(try await fixture.request(wallet, presented))
            let second = try await crowd(8) { _ in
                try await Self.outcome { try await fixture.service.assert(body, by: presented) }
            }
            let counts = try await fixture.counts()
            #expect(second.count(where: { $0 == nil }) == 1 && second.count(where: { $0 == .challengeNotFound }) == 7)
            #expect(counts == [1, 1, 2])
        }
    }

    @Test("of two first passkeys of one address one is the first, the other would need a session")
    func twoFirst() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet()
            var bodies: [(PresentedSession, JSONValue)] = []
            for _ in 0..<4 {
                let presented = try await fixture.presented()
                bodies.append(
                    (presented, try wallet.onAnotherDevice.attestation(try await fixture.creation(presented))))
            }
            let ready = bodies
            let outcomes = try await crowd(4) { number in
                try await Self.outcome { try await fixture.service.attest(ready[number].1, by: ready[number].0) }
            }
            let unproven = LiquidFixture.failed(WalletRefusal.ownershipUnproven), counts = try await fixture.counts()
            #expect(
                outcomes.count(where: { $0 == nil }) == 1 && outcomes.count(where: { $0 == unproven }) == 3
                    && counts == [1, 1, 1])
        }
    }

    @Test("of several wallets that register one id one gets it, and the others leave nothing")
    func oneID() async throws {
        try await LiquidFixture.with { fixture in
            let id = Randomness.system.bytes(32)
            var bodies: [(PresentedSession, JSONValue)] = []
            for _ in 0..<4 {
                var wallet = SoftWallet()
                wallet.authenticator.id = id
                let presented = try await fixture.presented()
                bodies.append((presented, try wallet.attestation(try await fixture.creation(presented))))
            }
            let ready = bodies
            let outcomes = try await crowd(4) { number in
                try await Self.outcome { try await fixture.service.attest(ready[number].1, by: ready[number].0) }
            }
            let taken = LiquidFixture.failed(WebAuthnRefusal.credentialExists), counts = try await fixture.counts()
            #expect(
                outcomes.count(where: { $0 == nil }) == 1 && outcomes.count(where: { $0 == taken }) == 3
                    && counts == [1, 1, 1])
        }
    }

    @Test("of two assertions with one count one went back")
    func oneCount() async throws {
        try await LiquidFixture.with { fixture in
            var wallet = SoftWallet()
            try await fixture.register(wallet)
            wallet.authenticator.counter = 5
            var bodies: [(PresentedSession, JSONValue)] = []
            for _ in 0..<4 {
                let presented = try await fixture.presented()
                bodies.append((presented, try wallet.assertion(try await fixture.request(wallet, presented))))
            }
            let ready = bodies
            let outcomes = try await crowd(4) { number in
                try await Self.outcome { try await fixture.service.assert(ready[number].1, by: ready[number].0) }
            }
            let lines = try await fixture.audited("liquid.login")
            #expect(outcomes.allSatisfy { $0 == nil } && lines == ["done", "flagged", "flagged", "flagged"])
        }
    }

    @Test("after a removal nobody is in by that passkey, whoever came with it at the same moment")
    func removal() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), first = try await fixture.presented(try await fixture.register(wallet).cookie)
            let
                owner = try await fixture.presented(
                    try await fixture.register(wallet.onAnotherDevice, as: first).cookie),
                id = Base64URL.encode(wallet.authenticator.id)
            var bodies: [(PresentedSession, JSONValue)] = []
            for _ in 0..<5 {
                let presented = try await fixture.presented()
                bodies.append((presented, try wallet.assertion(try await fixture.request(wallet, presented))))
            }
            let ready = bodies
            let outcomes = try await crowd(6) { number -> LiquidRefusal? in
                guard number > 2 else {
                    return try await Self.outcome {
                        try await fixture.service.assert(ready[number].1, by: ready[number].0)
                    }
                }
                guard number > 3 else {
                    return try await LiquidFixture.refusal { try await fixture.service.removeKey(id, by: owner) }
                }
                return try await Self.outcome {
                    try await fixture.service.assert(ready[number - 1].1, by: ready[number - 1].0)
                }
            }
            #expect(outcomes[3] == nil)
            for (number, outcome) in outcomes.enumerated() where number != 3 {
                #expect(outcome == nil || outcome == .credentialNotFound)
            }
            let credential = wallet.authenticator.id
            let ids = try await fixture.database.query("select id from liquid_session where credential = \(credential)")
                .map { try $0("id", as: String.self) }
            let living = try await fixture.service.sessions.living(ids, in: fixture.database)
            let below = try await fixture.service.sessions(below: Passkey.node(credential), in: fixture.database)
            #expect(living.isEmpty && Set(below) == Set(ids))
        }
    }

    @Test("a session that is linked while its passkey is removed is over, or was never linked")
    func linkedMeanwhile() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), owner = try await fixture.presented(try await fixture.register(wallet).cookie),
                sessions = fixture.service.sessions
            var waiting: [(String, String)] = []
            for _ in 0..<4 {
                let presented = try await fixture.presented()
                let id = try #require(
                    try await fixture.database.transaction { try await sessions.keep(presented, in: $0) })
                waiting.append((id, try #require(presented.newCookie)))
            }
            let ready = waiting, address = wallet.address, credential = wallet.authenticator.id
            _ = try await crowd(5) { number in
                guard number != 2 else {
                    return try await fixture.service.removeKey(Base64URL.encode(credential), by: owner)
                }
                let place = number < 2 ? number : number - 1
                _ = try await fixture.database.atomically {
                    try await sessions.link(ready[place].0, wallet: address, credential: credential, in: $0)
                }
            }
            for (_, cookie) in ready {
                let presented = try await fixture.presented(cookie)
                #expect(presented.session?.wallet == nil)
            }
        }
    }
}
