import Accounts
import Base
import Database
import Foundation
import Liquid
import Operations
import Passkeys
import TestSupport
import Testing
import Tiqr
import TokenTree

@Suite("Whoever is in by a factor that is taken away is out", .server)
struct FactorRemovalTests {
    private func remove(_ browser: Browser, _ path: String, _ field: String, _ id: String) async throws -> Reply {
        let token = try await browser.server.formToken(browser, at: "/account")
        return try await browser.open(.post, path, form: [("form_token", token), (field, id)])
    }

    @Test(
        """
        a removed passkey ends the account's other sessions that showed one; the one that removes it, those of a \
        password, and other people's go on
        """
    )
    func passkey() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            other = try await server.newResident()
        let stolen = try await server.passkey(of: account), own = try await server.passkey(of: account),
            theirs = try await server.passkey(of: other)
        let owner = Browser(server), thief = Browser(server), plain = Browser(server), stranger = Browser(server)
        try await owner.logInWithPasskey(own)
        try await thief.logInWithPasskey(stolen)
        try await plain.logInWithPassword(as: account)
        try await stranger.logInWithPasskey(theirs)

        let foreign = try await remove(owner, "/account/passkeys/remove", "passkey", theirs.name),
            still = try await thief.whoIsIn()
        let gone = try await remove(owner, "/account/passkeys/remove", "passkey", stolen.name)
        let people = [
            try await owner.whoIsIn(), try await thief.whoIsIn(), try await plain.whoIsIn(),
            try await stranger.whoIsIn(),
        ]

        #expect(foreign.status == 404 && still != nil, "a refusal ends nothing")
        #expect(gone.place == "/account?done=passkey-removed" && people.map { $0 != nil } == [true, false, true, true])
    }

    @Test("a removed phone likewise, of either kind, and those of the other kind go on", arguments: [true, false])
    func phone(_ isApproving: Bool) async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), scanning = Browser(server),
            approving = Browser(server), owner = Browser(server)
        let identity = try await server.enrollPhone(of: account)
        var phone = try await server.approver(of: account)
        try await scanning.logInWithPhone(identity)
        try await phone.logsIn(approving)
        try await owner.logInWithPasskey(try await server.passkey(of: account))

        let (path, name) =
            isApproving ? ("/account/approvals/remove", phone.activationID) : ("/account/phones/remove", identity.name)
        let gone = try await remove(owner, path, "phone", name)
        let people = [try await owner.whoIsIn(), try await scanning.whoIsIn(), try await approving.whoIsIn()]

        #expect(
            gone.place == "/account?done=phone-removed"
                && people.map { $0 != nil } == [true, isApproving, !isApproving])
    }

    @Test("by an operator all of them end")
    func byOperator() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            device = try await server.passkey(of: account)
        let one = Browser(server), two = Browser(server), plain = Browser(server)
        try await one.logInWithPasskey(device)
        try await two.logInWithPasskey(device)
        try await plain.logInWithPassword(as: account)
        let
            keys = PasskeyOperator(
                server.parts.revocation, actor: AuditActor(name: "admin:root", reason: "stolen"),
                clock: server.time.clock), name = device.name

        let removed = try await server.database.atomically { try await keys.remove(name, in: $0) }
        let people = [try await one.whoIsIn(), try await two.whoIsIn(), try await plain.whoIsIn()]

        #expect(removed.browsers == 2 && removed.sessions == 0 && people.map { $0 != nil } == [false, false, true])
    }

    /// What an operator does with a phone of either kind, and how many sessions ended by it.
    private func operate(
        _ server: TestServer, _ phone: String, isApproving: Bool, isBlock: Bool, isDry: Bool = false
    ) async throws -> Int? {
        let admin = AuditActor(name: "admin:root", reason: "stolen"), parts = server.parts
        let scanning = TiqrAdministration(parts.tiqr, parts.revocation, actor: admin)
        let approving = OperationsOperator(parts.powerAuth, parts.operations, parts.revocation, actor: admin)
        let work: (Transaction) async throws -> Int? = { transaction in
            switch (isApproving, isBlock) {
            case (true, true): return try await approving.block(phone, reason: "OPERATOR", in: transaction).browsers
            case (true, false): return try await approving.remove(phone, in: transaction).browsers
            case (false, true): return try await scanning.block(phone, minutes: nil, in: transaction).browsers
            case (false, false): return try await scanning.remove(phone, in: transaction).browsers
            }
        }
        return isDry ? try await server.database.rollingBack(work) : try await server.database.atomically(work)
    }

    @Test(
        """
        by an operator who removes or blocks a phone all of them end, unless it is undone; those of the other kind, \
        of a password and of other people go on
        """,
        arguments: [true, false], [true, false])
    func phoneByOperator(_ isApproving: Bool, _ isBlock: Bool) async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            other = try await server.newResident()
        let scanning = Browser(server), approving = Browser(server), plain = Browser(server),
            stranger = Browser(server), approvingStranger = Browser(server)
        let identity = try await server.enrollPhone(of: account), theirs = try await server.enrollPhone(of: other)
        var phone = try await server.approver(of: account), theirPhone = try await server.approver(of: other)
        try await scanning.logInWithPhone(identity)
        try await phone.logsIn(approving)
        try await plain.logInWithPassword(as: account)
        try await stranger.logInWithPhone(theirs)
        try await theirPhone.logsIn(approvingStranger)
        let name = isApproving ? phone.activationID : identity.name,
            node = isApproving ? "registration:\(name)" : "tiqr:\(name)"

        let dry = try await operate(server, name, isApproving: isApproving, isBlock: isBlock, isDry: true)
        let still = [try await scanning.whoIsIn(), try await approving.whoIsIn()]
        let ended = try await operate(server, name, isApproving: isApproving, isBlock: isBlock)
        let people = [
            try await scanning.whoIsIn(), try await approving.whoIsIn(), try await plain.whoIsIn(),
            try await stranger.whoIsIn(),
            try await approvingStranger.whoIsIn(),
        ]

        #expect(dry == 1 && still.map { $0 != nil } == [true, true])
        #expect(ended == 1 && people.map { $0 != nil } == [isApproving, !isApproving, true, true, true])
        let lines: Int = try await server.database.value(
            """
            select count(*) from audit where node = \(node) and actor = 'admin:root' and reason = 'stolen'
                and detail ->> 'browsers' = '1'
            """)
        #expect(lines == 1)
    }

    @Test(
        """
        a block that is said twice ends nothing more, nor does a phone that never let anybody in: whoever is in came \
        by another
        """,
        arguments: [true, false])
    func otherPhone(_ isApproving: Bool) async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server),
            stolen: String, unused: String
        if isApproving {
            stolen = try await server.approver(of: account).activationID
            unused = try await server.approver(of: account, confirmed: false).activationID
        } else {
            stolen = try await server.enrollPhone(of: account).name
            unused = try await server.enrollPhone(of: account, answering: false).name
        }
        let first = try await operate(server, stolen, isApproving: isApproving, isBlock: true)
        if isApproving {
            var another = try await server.approver(of: account)
            try await another.logsIn(browser)
        } else {
            try await browser.logInWithPhone(try await server.enrollPhone(of: account))
        }

        let again = try await operate(server, stolen, isApproving: isApproving, isBlock: true)
        let never = try await operate(server, unused, isApproving: isApproving, isBlock: false),
            kept = try await browser.whoIsIn()
        let removed = try await operate(server, stolen, isApproving: isApproving, isBlock: false),
            gone = try await browser.whoIsIn()

        #expect(first == 0 && again == 0 && never == 0 && kept != nil)
        #expect(removed == 1 && gone == nil, "which phone of a kind it was is not written down, so all of them end")
    }

    @Test("a thief who removes the phone in the session that it let in is out when an operator removes it once more")
    func removedByThief() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), thief = Browser(server)
        var phone = try await server.approver(of: account)
        try await phone.logsIn(thief)

        let gone = try await remove(thief, "/account/approvals/remove", "phone", phone.activationID),
            isIn = try await thief.whoIsIn()
        let ended = try await operate(server, phone.activationID, isApproving: true, isBlock: false),
            isOut = try await thief.whoIsIn()

        #expect(gone.place == "/account?done=phone-removed" && isIn != nil)
        #expect(ended == 1 && isOut == nil)
    }

    @Test("a factor of which nobody wrote down the name may be the one")
    func nameless() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        let stolen = try await server.passkey(of: account), own = try await server.passkey(of: account),
            owner = Browser(server), thief = Browser(server)
        try await owner.logInWithPasskey(own)
        try await thief.logInWithPasskey(stolen)
        _ = try await server.database.execute(
            "update authentication_event set factor = null where account = \(account.id)")

        let place = try await remove(owner, "/account/passkeys/remove", "passkey", stolen.name).place,
            isIn = try await thief.whoIsIn()

        #expect(place == "/account?done=passkey-removed" && isIn == nil)
    }
}
