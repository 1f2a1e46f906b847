import Base
import Foundation
import ProtocolTestSupport
import TestSupport
import Testing

@testable import Liquid
@testable import Passkeys
@testable import WebAuthn

@Suite("Liquid: how much strangers may begin")
struct CeremonyPaceTests {
    private static func stranger(from origin: String?) -> PresentedSession {
        PresentedSession(sid: SessionID(Randomness.system), session: nil, newCookie: nil, device: nil, origin: origin)
    }

    /// How many of the next so many are let through.
    private static func passed(_ pace: CeremonyRateLimit, _ origin: String?, _ count: Int, at now: Date) -> Int {
        let presented = stranger(from: origin)
        return (0..<count).count(where: { _ in (try? pace.challenge(for: presented, at: now)) != nil })
    }

    @Test(
        """
        so much at once from each address of IPv4 and each /64 of IPv6, then so much a second, and never more than \
        at first
        """
    )
    func pace() {
        let pace = CeremonyRateLimit(), start = Date(numericDate: 1_800_000_000)
        let first = Self.passed(pace, "2001:db8:1:2::1", 401, at: start),
            neighbour = Self.passed(pace, "2001:db8:1:2:ffff::9", 1, at: start)
        let stranger = Self.passed(pace, "2001:db8:1:3::1", 1, at: start)
        #expect(first == 400 && neighbour == 0 && stranger == 1)
        let four = Self.passed(pace, "192.0.2.1", 400, at: start),
            mapped = Self.passed(pace, "::ffff:192.0.2.1", 1, at: start)
        let nobody = Self.passed(pace, nil, 401, at: start)
        #expect(four == 400 && mapped == 0 && nobody == 400)
        let soon = Self.passed(pace, "192.0.2.1", 10, at: start + 2),
            late = Self.passed(pace, "192.0.2.1", 500, at: start + 86_400)
        #expect(soon == 4 && late == 400)
    }

    @Test(
        """
        beyond so many questions from one address none is asked, by either way; others are, and a second later two \
        more
        """
    )
    func challenges() async throws {
        try await LiquidFixture.with { fixture in
            let presented = try await fixture.presented(), service = fixture.service
            for _ in 0..<200 {
                let one = try await LiquidFixture.refusal {
                    _ = try await service.attestationOptions([:], for: presented)
                }
                let other = try await LiquidFixture.refusal {
                    _ = try await service.assertionOptions("bm9ib2R5", for: presented)
                }
                try #require(one == .extensionRequired && other == .userNotFound)
            }
            func refused(_ who: PresentedSession) async throws -> [LiquidRefusal?] {
                [
                    try await LiquidFixture.refusal { _ = try await fixture.creation(who) },
                    try await LiquidFixture.refusal { _ = try await fixture.request(nil, who) },
                ]
            }
            let both = try await refused(presented),
                asked: Int = try await fixture.database.value("select count(*) from webauthn_challenge")
            #expect(both == [.tooMany(seconds: 1), .tooMany(seconds: 1)] && asked == 0)
            let refusal = try #require(both[0])
            #expect(
                refusal.status == 429 && refusal.retryAfter == 1 && refusal.json["error"]?.string == "Too many requests"
            )
            let neighbour = try await refused(
                try await service.presented(cookie: nil, device: nil, origin: "192.0.2.2"))
            fixture.time.advance(1)
            let later = try await refused(presented), again = try await refused(presented)
            #expect(
                neighbour == [nil, nil] && later == [nil, nil] && again == [.tooMany(seconds: 1), .tooMany(seconds: 1)])
        }
    }

    @Test("beyond so many wallets from one address no other is kept; those that are known go on")
    func wallets() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), entered = try await fixture.register(wallet),
                presented = try await fixture.presented()
            for _ in 0..<399 { try fixture.service.parts.pace.wallet(of: presented, at: fixture.time.now) }
            let refused = try await LiquidFixture.refusal { _ = try await fixture.register(SoftWallet()) },
                counts = try await fixture.counts()
            #expect(refused == .tooMany(seconds: 1) && counts == [1, 1, 1])
            let
                second = try await fixture.register(
                    wallet.onAnotherDevice, as: try await fixture.presented(entered.cookie)),
                again = try await fixture.logIn(wallet)
            #expect(second.user["wallet"]?.string == wallet.address && again.user["wallet"]?.string == wallet.address)
            fixture.time.advance(1)
            let later = try await LiquidFixture.refusal { _ = try await fixture.register(SoftWallet()) }
            #expect(later == nil)
        }
    }

    @Test(
        "a statement is kept where a configured root stands behind it, and nowhere else",
        arguments: AttestationTrust.allCases)
    func statement(trust: AttestationTrust) async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), other = SoftAuthenticator(),
                format = trust == AttestationTrust.none ? AttestationFormat.none : .packed
            try await fixture.register(wallet)
            let fresh = NewCredential(
                id: other.id, key: try COSEKey(other.coseKey), counter: 0, userVerified: true, backupEligible: false,
                backedUp: false,
                model: other.model, transports: [], format: format, type: .basic, trust: trust,
                attestationObject: [1, 2, 3])
            let isAdded = try await fixture.service.parts.passkeys.add(
                fresh, owner: .wallet(wallet.address), name: "Key", device: nil, in: fixture.database)
            let isKept: Bool = try await fixture.database.value(
                "select attestation_object is not null as is_kept from passkey where id = \(other.id)")
            #expect(isAdded && isKept == (trust == .rooted))
        }
    }
}
