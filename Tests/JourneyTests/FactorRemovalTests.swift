import Accounts
import Base
import Foundation
import Liquid
import TestSupport
import Testing
import TokenTree

@Suite("Whoever is in by a factor that is taken away is out", .house)
struct FactorRemovalTests {
    private func remove(_ browser: Browser, _ path: String, _ field: String, _ id: String) async throws -> Reply {
        let token = try await browser.house.formToken(browser, at: "/account")
        return try await browser.open(.post, path, form: [("form_token", token), (field, id)])
    }

    @Test("a removed passkey ends the account's other sessions that showed one; the one that removes it, those of a password, and other people's go on")
    func passkey() async throws {
        let house = try TestHouse.ofSuite, account = try await house.newResident(), other = try await house.newResident()
        let stolen = try await house.passkey(of: account), own = try await house.passkey(of: account), theirs = try await house.passkey(of: other)
        let owner = Browser(house), thief = Browser(house), plain = Browser(house), stranger = Browser(house)
        try await owner.logInWithPasskey(own)
        try await thief.logInWithPasskey(stolen)
        try await plain.logInWithPassword(as: account)
        try await stranger.logInWithPasskey(theirs)

        let foreign = try await remove(owner, "/account/passkeys/remove", "passkey", theirs.name), still = try await thief.whoIsIn()
        let gone = try await remove(owner, "/account/passkeys/remove", "passkey", stolen.name)
        let people = [try await owner.whoIsIn(), try await thief.whoIsIn(), try await plain.whoIsIn(), try await stranger.whoIsIn()]

        #expect(foreign.status == 404 && still != nil, "a refusal ends nothing")
        #expect(gone.place == "/account?done=passkey-removed" && people.map { $0 != nil } == [true, false, true, true])
    }

    @Test("a removed phone likewise, of either kind, and those of the other kind go on", arguments: [true, false])
    func phone(_ isApproving: Bool) async throws {
        let house = try TestHouse.ofSuite, account = try await house.newResident(), scanning = Browser(house), approving = Browser(house), owner = Browser(house)
        let identity = try await house.enrollPhone(of: account)
        var phone = try await house.approver(of: account)
        try await scanning.logInWithPhone(identity)
        try await phone.logsIn(approving)
        try await owner.logInWithPasskey(try await house.passkey(of: account))

        let (path, name) = isApproving ? ("/account/approvals/remove", phone.activationID) : ("/account/phones/remove", identity.name)
        let gone = try await remove(owner, path, "phone", name)
        let people = [try await owner.whoIsIn(), try await scanning.whoIsIn(), try await approving.whoIsIn()]

        #expect(gone.place == "/account?done=phone-removed" && people.map { $0 != nil } == [true, isApproving, !isApproving])
    }

    @Test("by an operator all of them end")
    func byOperator() async throws {
        let house = try TestHouse.ofSuite, account = try await house.newResident(), device = try await house.passkey(of: account)
        let one = Browser(house), two = Browser(house), plain = Browser(house)
        try await one.logInWithPasskey(device)
        try await two.logInWithPasskey(device)
        try await plain.logInWithPassword(as: account)
        let keys = PasskeyOperator(house.parts.revocation, actor: Actor(name: "admin:root", reason: "stolen"), clock: house.time.clock), name = device.name

        let removed = try await house.database.atomically { try await keys.remove(name, in: $0) }
        let people = [try await one.whoIsIn(), try await two.whoIsIn(), try await plain.whoIsIn()]

        #expect(removed.browsers == 2 && removed.sessions == 0 && people.map { $0 != nil } == [false, false, true])
    }

    @Test("a factor of which nobody wrote down the name may be the one")
    func nameless() async throws {
        let house = try TestHouse.ofSuite, account = try await house.newResident()
        let stolen = try await house.passkey(of: account), own = try await house.passkey(of: account), owner = Browser(house), thief = Browser(house)
        try await owner.logInWithPasskey(own)
        try await thief.logInWithPasskey(stolen)
        _ = try await house.database.execute("update authentication_event set factor = null where account = \(account.id)")

        let place = try await remove(owner, "/account/passkeys/remove", "passkey", stolen.name).place, isIn = try await thief.whoIsIn()

        #expect(place == "/account?done=passkey-removed" && isIn == nil)
    }
}
