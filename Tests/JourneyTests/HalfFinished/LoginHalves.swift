import Accounts
import Base
import Liquid
import Operations
import Passkeys
import TestSupport
import Testing
import TokenTree

/// Logins in a browser that take their time, and what a person sets up to log in with.
enum LoginHalves {
    private static let actor = AuditActor(name: "admin:root", reason: "matrix")

    /// Nobody is known before the phone has answered.
    static func phoneLogin(_ scene: MatrixScene) async throws -> Finish {
        try await answering(Browser(scene.server), try await scene.identity())
    }

    /// In a session that a password opened.
    static func stepUp(_ scene: MatrixScene) async throws -> Finish {
        let identity = try await scene.identity()
        return try await answering(try await scene.browser(), identity)
    }

    private static func answering(_ browser: Browser, _ identity: PhoneIdentity) async throws -> Finish {
        let page = try await browser.beginWithPhone()
        return {
            _ = try await TiqrPhone(browser.server).answer(page.phoneLink, identity)
            return try await isIn(browser, try await browser.open(.get, page.waitPath))
        }
    }

    static func approvalLogin(_ scene: MatrixScene) async throws -> Finish {
        let server = scene.server, phone = try await server.approver(of: scene.account), browser = Browser(server)
        let page = try await browser.beginWithPhone(Browser.approval), id = phone.activationID
        await scene.removes {
            let fixture = OperationsOperator(
                server.parts.powerAuth, server.parts.operations, server.parts.revocation, actor: actor)
            try await server.database.atomically { transaction in _ = try await fixture.remove(id, in: transaction) }
        }
        return {
            var phone = phone
            _ = try? await phone.approve(link: page.approvalLink)
            return try await isIn(browser, try await browser.open(.get, page.waitPath))
        }
    }

    static func passkeyLogin(_ scene: MatrixScene) async throws -> Finish {
        let server = scene.server, device = try await server.passkey(of: scene.account), browser = Browser(server)
        let page = try await browser.open(.get, Browser.passkey), (fields, asked) = try await browser.ask(page)
        try #require(asked.outcome == "200", "question: \(asked.body)")
        await scene.removes {
            let fixture = PasskeyOperator(server.parts.revocation, actor: actor, clock: server.time.clock),
                name = device.name
            try await server.database.atomically { transaction in _ = try await fixture.remove(name, in: transaction) }
        }
        return {
            try await isIn(browser, try await browser.answer(try device.get(asked.json["options"]), fields, asked))
        }
    }

    /// Led to the account page, and in.
    private static func isIn(_ browser: Browser, _ reply: Reply) async throws -> SecondHalf {
        let isLed = reply.place == "/account", isIn = try await browser.whoIsIn() != nil
        return SecondHalf(reply, isDone: isLed && isIn)
    }

    /// In any browser, with or without a mail server.
    static func passwordLink(_ scene: MatrixScene) async throws -> Finish {
        let server = scene.server, account = scene.account
        let link = try await server.database.atomically {
            try await server.parts.idp.web.recovery.invite(account, language: nil, in: $0)
        }
        let browser = Browser(server),
            page = try await browser.open(.get, String(link.dropFirst(ServerParts.root.count)))
        try #require(page.status == 200, "link: \(page.status)")
        return {
            let new = "a third battery, a third staple"
            return SecondHalf(
                try await Patience.whileBusy { try await browser.submit(page, ["new": new, "again": new]) })
        }
    }

    // MARK: Setting up

    static func phoneSetup(_ scene: MatrixScene) async throws -> Finish {
        let browser = try await scene.browser(), scan = try await begin("/account/phones/add", browser),
            phone = TiqrPhone(scene.server)
        return {
            let metadata = try await phone.fetchMetadata(scan.phoneLink)
            guard metadata.status == 200 else { return SecondHalf(metadata, isDone: false) }
            let registering = TiqrPhone.Pending(metadata: metadata.json, secret: Randomness.system.bytes(32))
            guard try await phone.registers(registering) else { return SecondHalf(isDone: false, "not registered") }
            guard let first = try await browser.follow(try await browser.open(.get, scan.waitPath)).page,
                !first.phoneLink.isEmpty
            else {
                return SecondHalf(isDone: false, "registered")
            }
            _ = try await phone.answer(first.phoneLink, registering.identity)
            let done = try await browser.open(.get, first.waitPath)
            return SecondHalf(done, isDone: done.place == "/account?done=phone-added")
        }
    }

    static func approverSetup(_ scene: MatrixScene) async throws -> Finish {
        let browser = try await scene.browser(), phone = try await scene.server.newApprover()
        let scan = try await begin("/account/approvals/add", browser)
        return {
            var phone = phone
            do { try await phone.activate(scan.shownCode) } catch PowerAuthPhoneError.refused(let status, let code) {
                return SecondHalf(isDone: false, "\(status) \(code)")
            }
            _ = try await browser.submit(try await browser.open(.get, scan.waitPath))
            let signed = try await phone.validate()
            return SecondHalf(isDone: signed.isOK, signed.outcome)
        }
    }

    static func passkeySetup(_ scene: MatrixScene) async throws -> Finish {
        let browser = try await scene.browser(), action = "/account/passkeys/add",
            page = try await browser.open(.get, action)
        let (fields, asked) = try await browser.ask(page, action: action)
        try #require(asked.outcome == "200", "question: \(asked.body)")
        return {
            var device = PasskeyDevice()
            let made = device.create(asked.json["options"]),
                done = try await browser.answer(made, fields, asked, action: action)
            return SecondHalf(done, isDone: done.place == "/account?done=passkey-added")
        }
    }

    /// The page that the phone scans.
    private static func begin(_ path: String, _ browser: Browser) async throws -> Reply {
        let page = try await browser.open(.get, path)
        try #require(page.status == 200, "add: \(page.place)")
        return try #require(try await browser.follow(try await browser.submit(page)).page)
    }
}
