import Accounts
import Base
import Foundation
import TestSupport
import Testing

/// Of a page that waits for a wallet.
extension Reply {
    /// What its code says.
    var walletLink: String { body.firstMatch(of: #/href="(liquid:[^"]*)"/#).map { String($0.1) } ?? "" }

    var walletRequest: JSONValue {
        .string(walletLink.firstMatch(of: #/requestId=([0-9a-f\-]{36})$/#).map { String($0.1) } ?? "")
    }
}

extension Browser {
    static let walletCode = "/login/wallet?return_to=/account"

    /// The page that waits, of a login that begins here.
    func beginWithWallet(_ path: String = Browser.walletCode) async throws -> Reply {
        let page = try #require(try await follow(try await open(.get, path)).page)
        try #require(!page.walletLink.isEmpty, "wallet: \(page.status) \(page.body)")
        return page
    }

    /// What the page says after the wallet has answered, with yes or no.
    func confirm(_ question: Reply, _ decision: String = "allow") async throws -> Reply {
        try #require(question.body.contains("Is this your wallet?"), "question: \(question.status) \(question.body)")
        return try await submit(question, ["decision": decision])
    }

    /// Logged in with this wallet, or once more.
    func logInWithWallet(_ wallet: inout WalletDevice, _ path: String = Browser.walletCode) async throws -> Reply {
        let page = try await beginWithWallet(path)
        let answered = try await wallet.logIn(in: server, requestID: page.walletRequest)
        try #require(answered.status == 201, "wallet: \(answered.body)")
        return try await confirm(try await open(.get, page.waitPath))
    }
}

extension TestServer {
    /// A wallet that has registered, and that this person has linked.
    func linkedWallet(of account: Account) async throws -> WalletDevice {
        var wallet = WalletDevice()
        let registered = try await wallet.register(in: self)
        try #require(registered.status == 201, "wallet: \(registered.body)")
        let options = try await parts.passkeys.linkOptions(for: account.id, holder: wallet.address)
        _ = try await parts.passkeys.link(
            try wallet.passkey.get(options), to: account.id, below: [], holder: wallet.address, actor: .server)
        return wallet
    }
}
