import Accounts
import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// What somebody is asked first, what they may do instead, and what is left of that in a browser without scripts: by
/// what they have, what they used last, and what their account asks for.
@Suite("The order in which ways of logging in are offered", .server)
struct LoginDispatchTests {
    enum Way: String, Sendable { case tiqr, operations, passkey, wallet, codes }

    /// `first` is where the password leads, `instead` what the page there offers besides, in its order;
    /// `withoutScripts` the first of them that goes on in a browser which runs none, `nil` where there are only words.
    struct Row: Sendable, CustomTestStringConvertible {
        let has: [Way], used: String?, asks: Account.RequiredFactor
        let first: String, instead: [String], withoutScripts: String?

        init(
            _ has: [Way], used: String? = nil, asks: Account.RequiredFactor = .any, _ first: String,
            _ instead: [String] = [], withoutScripts: String?
        ) {
            (self.has, self.used, self.asks) = (has, used, asks)
            (self.first, self.instead, self.withoutScripts) = (first, instead, withoutScripts)
        }

        var testDescription: String {
            "\(asks.rawValue): \(has.map(\.rawValue).joined(separator: "+")), last \(used ?? "nothing")"
        }
    }

    private static let tiqr = "/login/tiqr", approval = "/login/approval", passkey = "/login/passkey",
        wallet = "/login/wallet", code = "/login/recovery", account = "/account"
    private static let addPhone = "/account/phones/add", addPasskey = "/account/passkeys/add"
    private static let all: [Way] = [.tiqr, .operations, .passkey, .wallet, .codes]

    private static let rows: [Row] = [
        // Nothing is asked for: the password is enough, whatever somebody has.
        Row([], asks: .none, account, withoutScripts: account),
        Row(all, used: "passkey", asks: .none, account, withoutScripts: account),
        // Who has nothing that counts sets something up.
        Row([], addPhone, withoutScripts: addPhone), Row([.codes], addPhone, withoutScripts: addPhone),
        Row([], asks: .tiqr, addPhone, withoutScripts: addPhone),
        Row([], asks: .passkey, addPasskey, withoutScripts: nil),
        // One way.
        Row([.tiqr], tiqr, withoutScripts: tiqr), Row([.operations], approval, withoutScripts: approval),
        Row([.passkey], passkey, withoutScripts: nil), Row([.wallet], passkey, [wallet], withoutScripts: wallet),
        // With what stands in for it, which never comes first.
        Row([.tiqr, .codes], tiqr, [code], withoutScripts: tiqr),
        Row([.passkey, .codes], passkey, [code], withoutScripts: code),
        Row([.passkey, .codes], used: "recovery", passkey, [code], withoutScripts: code),
        Row([.passkey, .wallet], passkey, [wallet], withoutScripts: wallet),
        Row([.passkey, .wallet], used: "wallet-code", passkey, [wallet], withoutScripts: wallet),
        // Several: the one that was used last, else the order of the server.
        Row([.tiqr, .operations], tiqr, [approval], withoutScripts: tiqr),
        Row([.tiqr, .operations], used: "operations", approval, [tiqr], withoutScripts: approval),
        Row([.tiqr, .passkey], tiqr, [passkey], withoutScripts: tiqr),
        Row([.tiqr, .passkey], used: "passkey", passkey, [tiqr], withoutScripts: tiqr),
        Row(all, tiqr, [approval, passkey, wallet, code], withoutScripts: tiqr),
        Row(all, used: "passkey", passkey, [tiqr, approval, wallet, code], withoutScripts: tiqr),
        Row(all, used: "wallet", passkey, [tiqr, approval, wallet, code], withoutScripts: tiqr),
        Row(all, used: "recovery", tiqr, [approval, passkey, wallet, code], withoutScripts: tiqr),
        // What was used last is nothing to an account that asks for something else.
        Row(all, used: "passkey", asks: .tiqr, tiqr, [approval, code], withoutScripts: tiqr),
        Row(all, used: "tiqr", asks: .passkey, passkey, withoutScripts: nil),
    ]

    /// A person with these ways, who used one of them in another browser.
    private func person(_ row: Row, _ server: TestServer) async throws -> Account {
        let account = try await server.newResident(requires: row.asks), clock = server.time.clock
        for way in row.has {
            switch way {
            case .tiqr: _ = try await server.enrollPhone(of: account)
            case .operations: _ = try await server.approver(of: account)
            case .passkey: _ = try await server.passkey(of: account)
            case .wallet: _ = try await server.linkedWallet(of: account)
            case .codes:
                let codes = RecoveryCodeStore(key: Randomness.system.secret(), clock: clock, randomness: .system)
                _ = try await server.database.atomically { try await codes.replace(of: account.id, in: $0) }
            }
        }
        if let used = row.used {
            _ = try await AuthenticationEvents(clock: clock).record(
                account, methods: ["mfa"], factor: used, client: "browser:another", in: server.database)
        }
        return account
    }

    /// Other doors of a page that leads on to the account page.
    private func doors(_ page: Reply) -> [String] {
        page.body.matches(of: #/href="(\/login\/[a-z]+)\?return_to=%2Faccount"/#).map { String($0.1) }
    }

    /// Whether it is loaded again by itself, or has a form to send: not that of a passkey, which a script fills in.
    private func goesOnWithoutScripts(_ page: Reply) -> Bool {
        guard page.status == 200, !page.body.contains("data-passkey=") else { return false }
        return page.body.contains("<noscript><meta http-equiv=\"refresh\"") || !Browser.form(page).action.isEmpty
    }

    @Test("behind the password, by what somebody has and used last", arguments: rows)
    func behindThePassword(row: Row) async throws {
        let server = try TestServer.ofSuite, person = try await person(row, server), browser = Browser(server)
        _ = try await browser.goOn(
            try await browser.follow(try await browser.open(.get, "/account")), as: person.username)

        let led = try await browser.open(.get, "/account"), page = try #require(try await browser.follow(led).page)
        var withoutScripts: String?
        let instead = doors(page), first = led.status == 200 ? "/account" : String(led.place.prefix { $0 != "?" })
        if first == "/account" || goesOnWithoutScripts(page) { withoutScripts = first }
        for door in instead where withoutScripts == nil {
            let behind = try await browser.follow(try await browser.open(.get, "\(door)?return_to=/account")).page
            if let behind, goesOnWithoutScripts(behind) { withoutScripts = door }
        }

        #expect(page.status == 200 && first == row.first && instead == row.instead)
        #expect(withoutScripts == row.withoutScripts)
        #expect(
            page.body.contains("Please switch it on, or use another browser or device.")
                == (row.withoutScripts == nil), "who is left without a way reads what to do, and nobody else")
    }

    @Test(
        "at the login page, by what the browser remembers: that comes first, once, and everything else stays",
        arguments: [
            (nil, ["password", "passkey", "tiqr", "approval", "wallet"]),
            ("password", ["password", "passkey", "tiqr", "approval", "wallet"]),
            ("tiqr", ["tiqr", "password", "passkey", "approval", "wallet"]),
            ("operations", ["approval", "password", "passkey", "tiqr", "wallet"]),
            ("passkey", ["passkey", "password", "tiqr", "approval", "wallet"]),
            ("wallet", ["passkey", "password", "tiqr", "approval", "wallet"]),
            ("wallet-code", ["password", "passkey", "tiqr", "approval", "wallet"]),
            ("recovery", ["password", "passkey", "tiqr", "approval", "wallet"]),
        ] as [(String?, [String])])
    func loginPage(remembered: String?, order: [String]) async throws {
        let browser = Browser(try TestServer.ofSuite)
        await browser.set(cookie: "pando_way", to: remembered)

        let page = try await browser.open(.get, "/login?return_to=/account")

        let marks = page.body.matches(
            of: #/id="(?<password>password)"|data-(?<passkey>passkey)="|href="\/login\/(?<door>[a-z]+)\?/#)
        let shown = marks.compactMap { ($0.password ?? $0.passkey ?? $0.door).map { String($0) } }
        #expect(page.status == 200 && shown == order)
        #expect(page.body.components(separatedBy: "Passkeys need JavaScript").count == 2, "a word without scripts")
    }
}
