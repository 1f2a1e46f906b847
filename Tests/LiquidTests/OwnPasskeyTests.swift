import Accounts
import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import Passkeys

@Suite("Liquid: linking, naming and removing passkeys")
struct OwnPasskeyTests {
    private static func remove(
        _ fixture: LiquidFixture, _ id: String, of account: Account, keepingOne: Bool = false
    ) async throws -> PasskeyRefusal? {
        try await LiquidFixture.personRefusal {
            try await fixture.database.atomically {
                try await fixture.people.remove(
                    id, of: account.id, keepingOne: keepingOne, actor: LiquidFixture.actor, in: $0)
            }
        }
    }

    @Test(
        """
        a wallet's passkey logs in to the account of the person who linked it, goes on being the wallet's, and no \
        longer when it is unlinked
        """
    )
    func linking() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), bob = try await fixture.person("bob"), wallet = SoftWallet(),
                own = try await fixture.enroll(bob)
            try await fixture.register(wallet)
            let linked = try await fixture.link(wallet, to: ada),
                asLinked = EnrolledPasskey(passkey: linked, authenticator: wallet.authenticator, handle: "tester")
            let answer = try await fixture.answer(asLinked, for: ada.id), nameless = try await fixture.answer(asLinked)
            #expect(
                linked.flow == .liquid && linked.wallet == wallet.address && answer.account == ada.id
                    && nameless.account == ada.id)
            #expect(
                answer.methods == ["swk", "user"] && nameless.methods == answer.methods,
                "its app signs for whichever page it scanned")

            let twice = try await LiquidFixture.personRefusal { _ = try await fixture.link(wallet, to: bob) }
            let server = try await LiquidFixture.personRefusal {
                let challenge = try await fixture.people.linkOptions(for: ada.id, holder: "x").raw("challenge")
                _ = try await fixture.people.link(
                    try own.assertion(challenge), to: ada.id, below: [], holder: "x", actor: LiquidFixture.actor)
            }
            let unknown = try await LiquidFixture.personRefusal { _ = try await fixture.link(SoftWallet(), to: ada) }
            #expect(twice == .taken && server == .taken && unknown == .unknown)

            let refusal = try await Self.remove(fixture, linked.text, of: ada),
                out = try await LiquidFixture.personRefusal { _ = try await fixture.answer(asLinked) }
            let entered = try await fixture.logIn(wallet), lines = try await fixture.audited("passkey.unlink")
            #expect(
                refusal == nil && out == .unknown && entered.user["wallet"]?.string == wallet.address
                    && lines == ["done"])
        }
    }

    @Test("a linked passkey is not its wallet's alone to remove: once it is unlinked at the account it is")
    func removedByWallet() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), wallet = SoftWallet(),
                entered = try await fixture.register(wallet), linked = try await fixture.link(wallet, to: ada)
            let presented = try await fixture.presented(entered.cookie)
            let refusal = try await LiquidFixture.refusal {
                try await fixture.service.removeKey(linked.text, by: presented)
            }
            let isEnrolled = try await fixture.people.isEnrolled(ada.id, .liquid, in: fixture.database),
                still = try await fixture.presented(entered.cookie)
            #expect(refusal == .forbidden && isEnrolled && still.session != nil)
            let unlinked = try await Self.remove(fixture, linked.text, of: ada)
            try await fixture.service.removeKey(linked.text, by: presented)
            let counts = try await fixture.counts(), lines = try await fixture.audited("liquid.remove")
            #expect(unlinked == nil && counts[0] == 0 && lines == ["done"])
        }
    }

    @Test("linked and removed by its wallet at once: either it is linked and stays, or it is gone and was never linked")
    func linkedWhileRemoved() async throws {
        for _ in 0..<4 {
            try await LiquidFixture.with { fixture in
                let ada = try await fixture.person("ada"), wallet = SoftWallet(),
                    presented = try await fixture.presented(try await fixture.register(wallet).cookie)
                let id = Base64URL.encode(wallet.authenticator.id)
                let body = try wallet.assertion(
                    try await fixture.people.linkOptions(for: ada.id, holder: "ada").raw("challenge"))
                let outcomes = try await crowd(2) { number -> Bool in
                    guard number == 0 else {
                        return try await LiquidFixture.refusal {
                            try await fixture.service.removeKey(id, by: presented)
                        }
                            == nil
                    }
                    return try await LiquidFixture.personRefusal {
                        _ = try await fixture.people.link(
                            body, to: ada.id, below: [], holder: "ada", actor: LiquidFixture.actor)
                    } == nil
                }
                let isEnrolled = try await fixture.people.isEnrolled(ada.id, .liquid, in: fixture.database),
                    counts = try await fixture.counts()
                #expect(outcomes[0] != outcomes[1] && isEnrolled == outcomes[0] && counts[0] == (outcomes[0] ? 1 : 0))
            }
        }
    }

    @Test("of two kinds the last of each stays where one must, and one of the other kind is not found")
    func kinds() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), own = try await fixture.enroll(ada), wallet = SoftWallet()
            try await fixture.register(wallet)
            let linked = try await fixture.link(wallet, to: ada)
            let last = [
                try await Self.remove(fixture, own.passkey.text, of: ada, keepingOne: true),
                try await Self.remove(fixture, linked.text, of: ada, keepingOne: true),
            ]
            let other = try await LiquidFixture.personRefusal {
                try await fixture.database.atomically {
                    try await fixture.people.remove(
                        own.passkey.text, of: ada.id, only: .liquid, keepingOne: false, actor: LiquidFixture.actor,
                        in: $0)
                }
            }
            let left = try await fixture.people.passkeys(of: ada.id).count
            #expect(last == [.last, .last] && other == .notFound && left == 2)
        }
    }

    @Test("a bogus answer links nothing, nor does one whose counter regressed")
    func bogusLink() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada")
            var wallet = SoftWallet(), stolen = SoftWallet()
            wallet.authenticator.counter = 9
            try await fixture.register(wallet)
            stolen.authenticator.id = wallet.authenticator.id
            wallet.authenticator.counter = 8
            let (bogus, old) = (stolen, wallet)
            let first = try await LiquidFixture.personRefusal { _ = try await fixture.link(bogus, to: ada) }
            let second = try await LiquidFixture.personRefusal { _ = try await fixture.link(old, to: ada) }
            let links: Int = try await fixture.database.value("select count(*) from passkey_link")
            #expect(first == .refused(.signatureMismatch) && second == .refused(.counterRegressed) && links == 0)
        }
    }

    @Test("of two people who link one passkey at once one has it")
    func linkedAtOnce() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), accounts = [try await fixture.person("ada"), try await fixture.person("bob")]
            try await fixture.register(wallet)
            var bodies: [JSONValue] = []
            for account in accounts {
                bodies.append(
                    try wallet.assertion(
                        try await fixture.people.linkOptions(for: account.id, holder: account.username).raw("challenge")
                    ))
            }
            let ready = bodies
            let outcomes = try await crowd(2) { number in
                try await LiquidFixture.personRefusal {
                    _ = try await fixture.people.link(
                        ready[number], to: accounts[number].id, below: [], holder: accounts[number].username,
                        actor: LiquidFixture.actor)
                }
            }
            #expect(outcomes.count(where: { $0 == nil }) == 1 && outcomes.count(where: { $0 == .taken }) == 1)
        }
    }

    @Test("a name is one's own to change; blank ones change nothing")
    func naming() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), bob = try await fixture.person("bob"),
                own = try await fixture.enroll(ada), id = own.passkey.text
            let long = String(repeating: "x", count: 200), revoked = String(repeating: "x", count: 100)
            for (name, expected) in [
                ("Red\u{1B}[0m key", "Red[0m key"), ("  ", "Red[0m key"), ("\u{7}", "Red[0m key"), (long, revoked),
            ] {
                try await fixture.people.rename(id, of: ada.id, to: name, actor: LiquidFixture.actor)
                let shown = try await fixture.people.passkeys(of: ada.id).first?.name
                #expect(shown == expected)
            }
            for (odd, account) in [(id, bob), ("AAAA", ada), ("?", ada)] {
                let refusal = try await LiquidFixture.personRefusal {
                    try await fixture.people.rename(odd, of: account.id, to: "x", actor: LiquidFixture.actor)
                }
                #expect(refusal == .notFound)
            }
        }
    }

    @Test("removing: not somebody else's, not the last where one must stay, and a removed one logs in no more")
    func removal() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), bob = try await fixture.person("bob"),
                own = try await fixture.enroll(ada), second = try await fixture.enroll(ada)
            let challenge = try await fixture.people.requestOptions(for: ada.id, holder: "x").raw("challenge"),
                body = try own.assertion(challenge)
            let refusals = [
                try await Self.remove(fixture, own.passkey.text, of: bob),
                try await Self.remove(fixture, "AAAA", of: ada), try await Self.remove(fixture, "", of: ada),
            ]
            #expect(refusals.allSatisfy { $0 == .notFound })
            let stands = try await fixture.database.transaction {
                try await fixture.people.isStanding(own.passkey, of: ada.id, in: $0)
            }
            let foreign = try await fixture.database.transaction {
                try await fixture.people.isStanding(own.passkey, of: bob.id, in: $0)
            }
            let removed = try await Self.remove(fixture, own.passkey.text, of: ada, keepingOne: true)
            let gone = try await fixture.database.transaction {
                try await fixture.people.isStanding(own.passkey, of: ada.id, in: $0)
            }
            let last = try await Self.remove(fixture, second.passkey.text, of: ada, keepingOne: true)
            #expect(stands && !foreign && removed == nil && !gone && last == .last)
            let answer = try await LiquidFixture.personRefusal {
                _ = try await fixture.people.answer(body, holder: "x", actor: LiquidFixture.actor)
            }
            let really = try await Self.remove(fixture, second.passkey.text, of: ada),
                left = try await fixture.people.passkeys(of: ada.id)
            #expect(answer == .unknown && really == nil && left.isEmpty)
        }
    }

    @Test("of two removed at once, where one must stay, one stays")
    func removedAtOnce() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"),
                ids = [try await fixture.enroll(ada).passkey.text, try await fixture.enroll(ada).passkey.text]
            let outcomes = try await crowd(2) { number in
                try await Self.remove(fixture, ids[number], of: ada, keepingOne: true)
            }
            #expect(outcomes.count(where: { $0 == nil }) == 1 && outcomes.count(where: { $0 == .last }) == 1)
        }
    }

    @Test("an account that is deleted leaves no passkey behind, and takes none from a wallet")
    func deletion() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), bob = try await fixture.person("bob"), wallet = SoftWallet(),
                own = try await fixture.enroll(ada)
            let bobs = try await fixture.enroll(bob)
            try await fixture.register(wallet)
            _ = try await fixture.link(wallet, to: ada)
            let challenge = try await fixture.people.requestOptions(for: ada.id, holder: "x").raw("challenge"),
                body = try own.assertion(challenge)
            let count = try await fixture.database.transaction { transaction in
                let count = try await PasskeyLogin.removeAll(
                    of: ada.id, actor: LiquidFixture.actor, at: fixture.time.now, in: transaction)
                try await AccountStore(clock: fixture.time.clock).delete(ada.id, in: transaction)
                return count
            }
            let refusal = try await LiquidFixture.personRefusal {
                _ = try await fixture.people.answer(body, holder: "x", actor: LiquidFixture.actor)
            }
            let removed = try await fixture.audited("passkey.remove"),
                unlinked = try await fixture.audited("passkey.unlink")
            #expect(count == 2 && refusal == .challengeUnknown && removed == ["done"] && unlinked == ["done"])
            let entered = try await fixture.logIn(wallet), answer = try await fixture.answer(bobs)
            #expect(entered.user["wallet"]?.string == wallet.address && answer.account == bob.id)
        }
    }
}
