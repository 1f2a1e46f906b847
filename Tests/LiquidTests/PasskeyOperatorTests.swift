import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import Passkeys

@Suite("cli.md: what operators do with passkeys and wallets")
struct PasskeyOperatorTests {
    private static let admin = AuditActor(name: "admin:root", origin: "cli", reason: "lost")

    private static func keys(_ fixture: LiquidFixture) -> PasskeyOperator {
        PasskeyOperator(fixture.tree.revocation, actor: admin, clock: fixture.time.clock)
    }
    private static func wallets(_ fixture: LiquidFixture) -> WalletOperator {
        WalletOperator(fixture.tree.revocation, actor: admin, clock: fixture.time.clock)
    }

    /// A wallet that has registered, ready to log in; and the cookie that it got.
    private static func wallet(
        _ fixture: LiquidFixture, _ wallet: SoftWallet = SoftWallet()
    ) async throws -> (wallet: SoftWallet, cookie: String) {
        var wallet = wallet
        let cookie = try await fixture.register(wallet).cookie
        wallet.authenticator.flags = 0x05
        return (wallet, cookie)
    }

    private static func missing(_ body: () async throws -> Void) async throws -> String? {
        do { try await body() } catch let error as PasskeyOperator.NotFound { return error.description }
        return nil
    }

    /// Whether `connect.sid` of that value is somebody's.
    private static func isIn(_ cookie: String, _ fixture: LiquidFixture) async throws -> Bool {
        try await fixture.presented(cookie).session?.wallet != nil
    }

    private static func reasons(_ action: String, _ fixture: LiquidFixture) async throws -> [String?] {
        try await fixture.database.query(
            "select reason from audit where action = \(action) and actor = 'admin:root' order by id"
        ).map { try $0("reason", as: String?.self) }
    }

    @Test(
        """
        an operator sees everybody's passkeys, the newest first, by page, account and wallet, and those that may \
        have a copy
        """
    )
    func list() async throws {
        try await LiquidFixture.with { fixture in
            let keys = Self.keys(fixture), ada = try await fixture.person("ada"),
                own = try await fixture.enroll(ada).passkey.text
            fixture.time.advance(1)
            let wallet = try await Self.wallet(fixture).wallet, linked = Base64URL.encode(wallet.authenticator.id)
            _ = try await fixture.link(wallet, to: ada)
            fixture.time.advance(1)
            let bobs = try await fixture.enroll(try await fixture.person("bob")).passkey.text
            _ = try await fixture.database.execute(
                "update passkey set flagged_at = \(fixture.time.now) where id = \(wallet.authenticator.id)")
            func ids(
                _ change: (inout PasskeyOperator.Which) -> Void = { _ in }, after: String? = nil, limit: Int = 10
            ) async throws -> [String] {
                var which = PasskeyOperator.Which()
                change(&which)
                return try await keys.list(which, after: after, limit: limit, in: fixture.database).map(\.text)
            }

            let all = try await ids(), first = try await ids(limit: 1), rest = try await ids(after: bobs),
                odd = try await ids(after: "no id")
            let adas = try await ids { $0.account = ada.id }, ofWallet = try await ids { $0.wallet = wallet.address },
                flagged = try await ids { $0.isFlagged = true }
            let shown = try await keys.find(linked, in: fixture.database).operatorJSON

            #expect(all == [bobs, linked, own] && first == [bobs] && rest == [linked, own] && odd == [])
            #expect(adas == [linked, own] && ofWallet == [linked] && flagged == [linked])
            #expect(
                shown["flow"] == "liquid" && shown["wallet"] == .string(wallet.address)
                    && shown["account"] == .string(ada.id.uuidString.lowercased()))
            #expect(shown["flagged_at"] != nil && shown["backed_up"] == false && shown["format"] == "none")
        }
    }

    @Test(
        """
        a removed passkey lets nobody in: its wallet's sessions end, those of its other passkeys go on, and each \
        leaves a line with its reason
        """
    )
    func removal() async throws {
        try await LiquidFixture.with { fixture in
            let keys = Self.keys(fixture), ada = try await fixture.person("ada"), own = try await fixture.enroll(ada)
            let (wallet, cookie) = try await Self.wallet(fixture), linkedCookie = try await fixture.linked(wallet),
                other = try await Self.wallet(fixture).cookie
            _ = try await fixture.link(wallet, to: ada)
            let id = Base64URL.encode(wallet.authenticator.id)

            let undone = try await fixture.database.rollingBack { try await keys.remove(id, in: $0).sessions }
            let before = try await Self.isIn(cookie, fixture)
            let removed = try await fixture.database.atomically { try await keys.remove(id, in: $0) }
            let after = [
                try await Self.isIn(cookie, fixture), try await Self.isIn(linkedCookie, fixture),
                try await Self.isIn(other, fixture),
            ]
            let refusal = try await LiquidFixture.refusal { try await fixture.logIn(wallet) }
            let person = try await fixture.database.atomically { try await keys.remove(own.passkey.text, in: $0) }
            let left = try await fixture.people.isEnrolled(ada.id, in: fixture.database)

            #expect(
                undone == 2 && before && removed.sessions == 2 && removed.passkey.account == ada.id
                    && after == [false, false, true])
            #expect(refusal == .userNotFound && person.sessions == 0 && !left)
            let lines = try await Self.reasons("liquid.remove", fixture) + Self.reasons("passkey.remove", fixture)
            #expect(lines == ["lost", "lost"])
        }
    }

    @Test("what is not there is not found, and changes nothing", arguments: ["AAAA", "", "no id", "a"])
    func unknown(id: String) async throws {
        try await LiquidFixture.with { fixture in
            let keys = Self.keys(fixture), wallets = Self.wallets(fixture), mine = try await Self.wallet(fixture),
                yours = try await Self.wallet(fixture)
            let session = try await fixture.presented(yours.cookie).id

            let shown = try await Self.missing { _ = try await keys.find(id, in: fixture.database) }
            let removed = try await Self.missing {
                _ = try await fixture.database.atomically { try await keys.remove(id, in: $0) }
            }
            let wallet = try await Self.missing { _ = try await wallets.find(id, in: fixture.database) }
            let revoked = try await Self.missing {
                _ = try await fixture.database.atomically { try await wallets.revoke(id, in: $0) }
            }
            let foreign = try await Self.missing {
                _ = try await fixture.database.atomically {
                    try await wallets.revoke(mine.wallet.address, session: session, in: $0)
                }
            }

            #expect(
                shown == "there is no passkey \(id)" && removed == shown && wallet == "there is no wallet \(id)"
                    && revoked == wallet)
            #expect(foreign == "the wallet has no session \(session)")
            let isIn = try await Self.isIn(yours.cookie, fixture), counts = try await fixture.counts()
            #expect(isIn && counts == [2, 2, 2])
        }
    }

    @Test("a wallet's sessions are shown and ended, one or all; others go on, and its passkeys let it in anew")
    func sessions() async throws {
        try await LiquidFixture.with { fixture in
            let wallets = Self.wallets(fixture), (wallet, first) = try await Self.wallet(fixture),
                other = try await Self.wallet(fixture)
            fixture.time.advance(1)
            let second = try await fixture.linked(wallet)
            fixture.time.advance(1)
            let third = try await fixture.logIn(wallet).cookie
            func id(_ cookie: String) async throws -> String { try await fixture.presented(cookie).id }
            func shown(after: String? = nil, limit: Int = 10) async throws -> [String] {
                try await wallets.sessions(of: wallet.address, after: after, limit: limit, in: fixture.database).map {
                    "\($0.session.id) \($0.isLive)"
                }
            }
            let ids = [try await id(first), try await id(second), try await id(third)]

            let all = try await shown(), page = try await shown(limit: 1), rest = try await shown(after: ids[2])
            let one = try await fixture.database.atomically {
                try await wallets.revoke(wallet.address, session: ids[0], in: $0)
            }
            let again = try await fixture.database.atomically {
                try await wallets.revoke(wallet.address, session: ids[0], in: $0)
            }
            let listed = try await shown(), counted = try await wallets.find(wallet.address, in: fixture.database)
            let both = try await fixture.database.atomically { try await wallets.revoke(wallet.address, in: $0) }
            let none = try await fixture.database.atomically { try await wallets.revoke(wallet.address, in: $0) }
            let living = [
                try await Self.isIn(first, fixture), try await Self.isIn(second, fixture),
                try await Self.isIn(third, fixture), try await Self.isIn(other.cookie, fixture),
            ]
            let anew = try await Self.isIn(try await fixture.logIn(wallet).cookie, fixture)

            #expect(
                all == ["\(ids[2]) true", "\(ids[1]) true", "\(ids[0]) true"] && page == ["\(ids[2]) true"]
                    && rest == Array(all.dropFirst()))
            #expect(
                one == [ids[0]] && again == [] && listed.last == "\(ids[0]) false" && counted.sessions == 2
                    && counted.passkeys == 1)
            #expect(both == [ids[1], ids[2]].sorted() && none == [] && living == [false, false, false, true] && anew)
            let lines = try await Self.reasons("liquid.cut", fixture)
            #expect(lines == ["lost", "lost"])
        }
    }

    @Test("wallets are listed by address, by page, and by the account that they are linked with")
    func known() async throws {
        try await LiquidFixture.with { fixture in
            let wallets = Self.wallets(fixture), ada = try await fixture.person("ada"),
                linked = try await Self.wallet(fixture).wallet
            let addresses = [linked.address, try await Self.wallet(fixture).wallet.address].sorted()
            _ = try await fixture.link(linked, to: ada)

            let all = try await wallets.list(limit: 10, in: fixture.database).map(\.address),
                first = try await wallets.list(limit: 1, in: fixture.database).map(\.address)
            let rest = try await wallets.list(after: addresses[0], limit: 10, in: fixture.database).map(\.address)
            let adas = try await wallets.list(account: ada.id, limit: 10, in: fixture.database).map(\.address)

            #expect(all == addresses && first == [addresses[0]] && rest == [addresses[1]] && adas == [linked.address])
        }
    }
}
