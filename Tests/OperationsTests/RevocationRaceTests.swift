import Base
import Database
import Foundation
import ProtocolTestSupport
import TestSupport
import Testing
import TokenTree

@testable import Operations
@testable import PowerAuth

@Suite("token-tree.md, rule 3: approving cannot race revoking")
struct RevocationRaceTests {
    private struct Asked: Sendable {
        let token: TokenRow
        let phone: BankPhone
        let order: OperationView
        let caller: OperationsCaller
    }

    /// What an app asked of its person, and the person's phone.
    private func prepare(_ bank: OperationsBank) async throws -> Asked {
        let token = try await bank.tree.child(of: try await bank.tree.instance(), .appToken, refresh: .init()).row
        let app = OperationsCaller.app(person: "ada", token: token, actor: AuditActor(name: "bundle:com.example.app"))
        let config = try #require(try await bank.fixture.service.idpApplication().sdkConfig)
        let server = OperationsBank(
            fixture: PhoneFixture(tree: bank.tree, service: bank.fixture.service, sdkConfig: config),
            service: bank.service)
        let started = try await bank.fixture.service.startRegistration(
            try PhoneRegistrationDraft(userID: nil, commitPhase: .onKeyExchange), by: app)
        let phone = try await server.phone(started)
        return Asked(
            token: token, phone: phone,
            order: try await bank.order(nil, "approval", parameters: ["title": "Go on?", "message": "Now."], by: app),
            caller: app)
    }

    private func status(_ bank: OperationsBank, _ asked: Asked) async throws -> String {
        try await bank.service.operation(asked.order.id, for: PhoneFixture.operators).json["status"]?.string ?? ""
    }

    private func approve(_ asked: Asked) async throws -> PowerAuthReply {
        var phone = asked.phone
        return try await phone.authorize(asked.order)
    }

    /// Until somebody has, or waits for, the lock of the token's family.
    private func until(_ node: NodeID, isGranted: Bool, _ bank: OperationsBank) async throws {
        for _ in 0..<6_000 {
            let count: Int = try await bank.database.value(
                """
                select count(*) from pg_locks where locktype = 'advisory' and granted = \(isGranted)
                    and (classid::bigint << 32 | objid::bigint) = \(node.lockNumber)
                """)
            if count > 0 { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("nobody \(isGranted ? "held" : "waited for") the lock of \(node)")
    }

    @Test("an approval that comes while the token is being revoked waits, and is refused")
    func revocationFirst() async throws {
        try await OperationsBank.with { bank in
            let asked = try await prepare(bank)

            let approval = try await bank.database.transaction { transaction -> Task<PowerAuthReply, any Error> in
                _ = try await bank.tree.revocation.revoke(.token(asked.token.family), by: .server, in: transaction)
                let approval = Task { try await approve(asked) }
                try await until(asked.token.family, isGranted: false, bank)
                return approval
            }
            let reply = try await approval.value, after = try await status(bank, asked)

            #expect(reply.isRefused("OPERATION_ALREADY_CANCELED") && after == "CANCELED")
        }
    }

    @Test("a revocation waits for an approval that is under way: what it finds when it returns stays so")
    func approvalFirst() async throws {
        try await OperationsBank.with { bank in
            let asked = try await prepare(bank)

            let (approval, revocation) = try await bank.database.transaction {
                transaction -> (Task<PowerAuthReply, any Error>, Task<String, any Error>) in
                _ = try await transaction.query(
                    "select id from phone_operation where id = \(asked.order.id) for update")
                let approval = Task { try await approve(asked) }
                try await until(asked.token.family, isGranted: true, bank)
                let revocation = Task {
                    _ = try await bank.tree.revocation.revoke(.token(asked.token.family), by: .server)
                    return try await status(bank, asked)
                }
                try await until(asked.token.family, isGranted: false, bank)
                return (approval, revocation)
            }
            let found = try await revocation.value, reply = try await approval.value,
                after = try await status(bank, asked)

            #expect(reply.isOK && found == "APPROVED" && after == "APPROVED")
        }
    }

    @Test("a typed answer waits likewise")
    func offline() async throws {
        try await OperationsBank.with { bank in
            let asked = try await prepare(bank),
                shown = try await bank.service.offlineCode(
                    asked.order.id, registration: asked.phone.id, for: asked.caller)
            let code = try #require(ScannedOfflineCode(shown["operationQrCodeData"]?.string ?? ""))
            let typed = try asked.phone.answer(code)
            let body: JSONValue = [
                "otp": .string(typed), "nonce": .string(Base64Text.encode(code.nonce)),
                "registrationId": .string(asked.phone.id),
            ]

            let checking = try await bank.database.transaction { transaction in
                _ = try await bank.tree.revocation.revoke(.token(asked.token.family), by: .server, in: transaction)
                let checking = Task {
                    await backOfficeRefusal {
                        _ = try await bank.service.checkOffline(asked.order.id, body, by: asked.caller)
                    }
                }
                try await until(asked.token.family, isGranted: false, bank)
                return checking
            }
            let refused = await checking.value, after = try await status(bank, asked)

            #expect(refused == "ERROR_OPERATION_STATE_CHANGE" && after == "CANCELED")
        }
    }

    @Test("a code is taken by no phone while the token that began the registration is being revoked")
    func exchange() async throws {
        try await OperationsBank.with { bank in
            let token = try await bank.tree.child(of: try await bank.tree.instance(), .appToken, refresh: .init()).row
            let app = OperationsCaller.app(
                person: "ada", token: token, actor: AuditActor(name: "bundle:com.example.app"))
            let started = try await bank.fixture.service.startRegistration(
                try PhoneRegistrationDraft(userID: nil, commitPhase: .onKeyExchange), by: app)
            let config = try #require(try await bank.fixture.service.idpApplication().sdkConfig),
                blank = try bank.fixture.phone(config: config)

            let activation = try await bank.database.transaction { transaction in
                _ = try await bank.tree.revocation.revoke(.token(token.family), by: .server, in: transaction)
                let activation = Task {
                    await refusal {
                        var phone = blank
                        try await phone.activate(started.qrText)
                    }
                }
                try await until(token.family, isGranted: false, bank)
                return activation
            }
            let refused = await activation.value

            #expect(refused == .refused(status: 400, code: "ERR_ACTIVATION"))
        }
    }
}
