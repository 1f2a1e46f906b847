import Base
import Database
import Foundation
@testable import Liquid
@testable import Passkeys
import Testing
import TestSupport
import TokenTree

@Suite("cli.md: what operators do with passkeys and wallets")
struct PasskeyOperatorTests {
    private static let admin = AuditActor(name: "admin:root", origin: "cli", reason: "lost")

    private static func keys(_ desk: LiquidFixture) -> PasskeyOperator { PasskeyOperator(desk.tree.revocation, actor: admin, clock: desk.time.clock) }
    private static func wallets(_ desk: LiquidFixture) -> WalletOperator { WalletOperator(desk.tree.revocation, actor: admin, clock: desk.time.clock) }

    /// A wallet that has registered, ready to log in; and the cookie that it got.
    private static func wallet(_ desk: LiquidFixture, _ wallet: SoftWallet = SoftWallet()) async throws -> (wallet: SoftWallet, cookie: String) {
        var wallet = wallet
        let cookie = try await desk.register(wallet).cookie
        wallet.authenticator.flags = 0x05
        return (wallet, cookie)
    }

    private static func missing(_ body: () async throws -> Void) async throws -> String? {
        do { try await body() } catch let error as PasskeyOperator.NotFound { return error.description }
        return nil
    }

    /// Whether `connect.sid` of that value is somebody's.
    private static func isIn(_ cookie: String, _ desk: LiquidFixture) async throws -> Bool { try await desk.visitor(cookie).session?.wallet != nil }

    private static func reasons(_ action: String, _ desk: LiquidFixture) async throws -> [String?] {
        try await desk.database.query("select reason from audit where action = \(action) and actor = 'admin:root' order by id").map { try $0("reason", as: String?.self) }
    }

    @Test("an operator sees everybody's passkeys, the newest first, by page, account and wallet, and those that may have a copy")
    func list() async throws {
        try await LiquidFixture.with { desk in
            let keys = Self.keys(desk), ada = try await desk.person("ada"), own = try await desk.enroll(ada).passkey.text
            desk.time.advance(1)
            let wallet = try await Self.wallet(desk).wallet, linked = Base64URL.encode(wallet.authenticator.id)
            _ = try await desk.link(wallet, to: ada)
            desk.time.advance(1)
            let bobs = try await desk.enroll(try await desk.person("bob")).passkey.text
            _ = try await desk.database.execute("update passkey set flagged_at = \(desk.time.now) where id = \(wallet.authenticator.id)")
            func ids(_ change: (inout PasskeyOperator.Which) -> Void = { _ in }, after: String? = nil, limit: Int = 10) async throws -> [String] {
                var which = PasskeyOperator.Which()
                change(&which)
                return try await keys.list(which, after: after, limit: limit, in: desk.database).map(\.text)
            }

            let all = try await ids(), first = try await ids(limit: 1), rest = try await ids(after: bobs), odd = try await ids(after: "no id")
            let adas = try await ids { $0.account = ada.id }, ofWallet = try await ids { $0.wallet = wallet.address }, flagged = try await ids { $0.isFlagged = true }
            let shown = try await keys.find(linked, in: desk.database).operatorJSON

            #expect(all == [bobs, linked, own] && first == [bobs] && rest == [linked, own] && odd == [])
            #expect(adas == [linked, own] && ofWallet == [linked] && flagged == [linked])
            #expect(shown["flow"] == "liquid" && shown["wallet"] == .string(wallet.address) && shown["account"] == .string(ada.id.uuidString.lowercased()))
            #expect(shown["flagged_at"] != nil && shown["backed_up"] == false && shown["format"] == "none")
        }
    }

    @Test("a removed passkey lets nobody in: its wallet's sessions end, those of its other passkeys go on, and each leaves a line with its reason")
    func removal() async throws {
        try await LiquidFixture.with { desk in
            let keys = Self.keys(desk), ada = try await desk.person("ada"), own = try await desk.enroll(ada)
            let (wallet, cookie) = try await Self.wallet(desk), linkedCookie = try await desk.linked(wallet), other = try await Self.wallet(desk).cookie
            _ = try await desk.link(wallet, to: ada)
            let id = Base64URL.encode(wallet.authenticator.id)

            let undone = try await desk.database.rollingBack { try await keys.remove(id, in: $0).sessions }
            let before = try await Self.isIn(cookie, desk)
            let removed = try await desk.database.atomically { try await keys.remove(id, in: $0) }
            let after = [try await Self.isIn(cookie, desk), try await Self.isIn(linkedCookie, desk), try await Self.isIn(other, desk)]
            let refusal = try await LiquidFixture.refusal { try await desk.logIn(wallet) }
            let person = try await desk.database.atomically { try await keys.remove(own.passkey.text, in: $0) }
            let left = try await desk.people.isEnrolled(ada.id, in: desk.database)

            #expect(undone == 2 && before && removed.sessions == 2 && removed.passkey.account == ada.id && after == [false, false, true])
            #expect(refusal == .userNotFound && person.sessions == 0 && !left)
            let lines = try await Self.reasons("liquid.remove", desk) + Self.reasons("passkey.remove", desk)
            #expect(lines == ["lost", "lost"])
        }
    }

    @Test("what is not there is not found, and changes nothing", arguments: ["AAAA", "", "no id", "a"])
    func unknown(id: String) async throws {
        try await LiquidFixture.with { desk in
            let keys = Self.keys(desk), wallets = Self.wallets(desk), mine = try await Self.wallet(desk), yours = try await Self.wallet(desk)
            let session = try await desk.visitor(yours.cookie).id

            let shown = try await Self.missing { _ = try await keys.find(id, in: desk.database) }
            let removed = try await Self.missing { _ = try await desk.database.atomically { try await keys.remove(id, in: $0) } }
            let wallet = try await Self.missing { _ = try await wallets.find(id, in: desk.database) }
            let revoked = try await Self.missing { _ = try await desk.database.atomically { try await wallets.revoke(id, in: $0) } }
            let foreign = try await Self.missing { _ = try await desk.database.atomically { try await wallets.revoke(mine.wallet.address, session: session, in: $0) } }

            #expect(shown == "there is no passkey \(id)" && removed == shown && wallet == "there is no wallet \(id)" && revoked == wallet)
            #expect(foreign == "the wallet has no session \(session)")
            let isIn = try await Self.isIn(yours.cookie, desk), counts = try await desk.counts()
            #expect(isIn && counts == [2, 2, 2])
        }
    }

    @Test("a wallet's sessions are shown and ended, one or all; others go on, and its passkeys let it in anew")
    func sessions() async throws {
        try await LiquidFixture.with { desk in
            let wallets = Self.wallets(desk), (wallet, first) = try await Self.wallet(desk), other = try await Self.wallet(desk)
            desk.time.advance(1)
            let second = try await desk.linked(wallet)
            desk.time.advance(1)
            let third = try await desk.logIn(wallet).cookie
            func id(_ cookie: String) async throws -> String { try await desk.visitor(cookie).id }
            func shown(after: String? = nil, limit: Int = 10) async throws -> [String] {
                try await wallets.sessions(of: wallet.address, after: after, limit: limit, in: desk.database).map { "\($0.session.id) \($0.isLive)" }
            }
            let ids = [try await id(first), try await id(second), try await id(third)]

            let all = try await shown(), page = try await shown(limit: 1), rest = try await shown(after: ids[2])
            let one = try await desk.database.atomically { try await wallets.revoke(wallet.address, session: ids[0], in: $0) }
            let again = try await desk.database.atomically { try await wallets.revoke(wallet.address, session: ids[0], in: $0) }
            let listed = try await shown(), counted = try await wallets.find(wallet.address, in: desk.database)
            let both = try await desk.database.atomically { try await wallets.revoke(wallet.address, in: $0) }
            let none = try await desk.database.atomically { try await wallets.revoke(wallet.address, in: $0) }
            let living = [try await Self.isIn(first, desk), try await Self.isIn(second, desk), try await Self.isIn(third, desk), try await Self.isIn(other.cookie, desk)]
            let anew = try await Self.isIn(try await desk.logIn(wallet).cookie, desk)

            #expect(all == ["\(ids[2]) true", "\(ids[1]) true", "\(ids[0]) true"] && page == ["\(ids[2]) true"] && rest == Array(all.dropFirst()))
            #expect(one == [ids[0]] && again == [] && listed.last == "\(ids[0]) false" && counted.sessions == 2 && counted.passkeys == 1)
            #expect(both == [ids[1], ids[2]].sorted() && none == [] && living == [false, false, false, true] && anew)
            let lines = try await Self.reasons("liquid.cut", desk)
            #expect(lines == ["lost", "lost"])
        }
    }

    @Test("wallets are listed by address, by page, and by the account that they are linked with")
    func known() async throws {
        try await LiquidFixture.with { desk in
            let wallets = Self.wallets(desk), ada = try await desk.person("ada"), linked = try await Self.wallet(desk).wallet
            let addresses = [linked.address, try await Self.wallet(desk).wallet.address].sorted()
            _ = try await desk.link(linked, to: ada)

            let all = try await wallets.list(limit: 10, in: desk.database).map(\.address), first = try await wallets.list(limit: 1, in: desk.database).map(\.address)
            let rest = try await wallets.list(after: addresses[0], limit: 10, in: desk.database).map(\.address)
            let adas = try await wallets.list(account: ada.id, limit: 10, in: desk.database).map(\.address)

            #expect(all == addresses && first == [addresses[0]] && rest == [addresses[1]] && adas == [linked.address])
        }
    }
}
