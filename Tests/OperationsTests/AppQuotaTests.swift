import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Operations

@Suite("operations: how much apps begin for one person")
struct AppQuotaTests {
    private static let asked: JSONObject = ["title": "Delete the archive?", "message": "It cannot be undone."]

    private func app(_ bank: OperationsBank, person: String = "ada") async throws -> OperationsCaller {
        let token = try await bank.tree.child(
            of: try await bank.tree.instance("phone of \(person)"), .appToken, refresh: .init()
        ).row
        return .app(person: person, token: token, actor: AuditActor(name: "bundle:com.example.app"))
    }

    private func ask(_ bank: OperationsBank, _ app: OperationsCaller) async throws -> OperationView {
        try await bank.order(nil, "approval", parameters: Self.asked, by: app)
    }

    private func register(_ bank: OperationsBank, _ app: OperationsCaller) async throws -> String {
        try await bank.fixture.service.startRegistration(try PhoneRegistrationDraft(userID: nil), by: app).registration
            .id
    }

    private func send(_ bank: OperationsBank, _ app: OperationsCaller) async throws {
        _ = try await bank.service.addMessage(["subject": "s", "summary": "s", "body": "b"], by: app)
    }

    @Test(
        """
        of thirty asked at once twenty are pending; more come when some are over; other people and services are not \
        concerned
        """
    )
    func pending() async throws {
        try await OperationsBank.with { bank in
            let ada = try await app(bank), sibling = try await app(bank), bob = try await app(bank, person: "bob")

            let refusals = try await crowd(30) { number in
                await backOfficeRefusal { _ = try await ask(bank, number.isMultiple(of: 2) ? ada : sibling) }
            }
            let rows: Int = try await bank.database.value("select count(*) from phone_operation")
            let other = await backOfficeRefusal { _ = try await ask(bank, bob) }
            for _ in 0..<25 { _ = try await bank.order() }
            let some: String = try await bank.database.value(
                "select min(id) from phone_operation where owner = 'person:ada'")
            _ = try await bank.service.cancelOperation(some, reason: nil, by: ada)
            let again = await backOfficeRefusal { _ = try await ask(bank, ada) },
                more = await backOfficeRefusal { _ = try await ask(bank, ada) }

            #expect(refusals.count { $0 == nil } == 20 && refusals.count { $0 == "ERROR_REQUEST" } == 10 && rows == 20)
            #expect(other == nil && again == nil && more == "ERROR_REQUEST")
        }
    }

    @Test(
        "sixty are begun within an hour, whatever became of them; what expired or lost its token is pending no longer")
    func hourly() async throws {
        try await OperationsBank.with { bank in
            let ada = try await app(bank)
            for _ in 0..<AppQuota.hourly {
                let order = try await ask(bank, ada)
                _ = try await bank.service.cancelOperation(order.id, reason: nil, by: ada)
            }
            let full = await backOfficeRefusal { _ = try await ask(bank, ada) }
            bank.time.advance(3_600)
            for _ in 0..<AppQuota.pendingOperations { _ = try await ask(bank, ada) }
            bank.time.advance(301)
            let expired = await backOfficeRefusal { _ = try await ask(bank, ada) }

            #expect(full == "ERROR_REQUEST" && expired == nil)
        }
    }

    @Test("operations whose token has ended are in nobody's way")
    func cut() async throws {
        try await OperationsBank.with { bank in
            let ada = try await app(bank)
            for _ in 0..<AppQuota.pendingOperations { _ = try await ask(bank, ada) }
            let full = await backOfficeRefusal { _ = try await ask(bank, ada) }

            try await bank.tree.revocation.revoke(.virtual(Ancestor(.instance, "phone of ada")), by: .server)
            let fresh = try await app(bank), again = await backOfficeRefusal { _ = try await ask(bank, fresh) }

            #expect(full == "ERROR_REQUEST" && again == nil)
        }
    }

    @Test("of ten registrations at once five wait for a phone; more come when one is removed, sixty within an hour")
    func registrations() async throws {
        try await OperationsBank.with { bank in
            let ada = try await app(bank)

            let names = try await crowd(10) { _ in try? await register(bank, ada) }
            let made = names.compactMap { $0 }, refused = await backOfficeRefusal { _ = try await register(bank, ada) }
            for id in made { _ = try await bank.fixture.service.change(id, .remove, by: ada) }
            for _ in 0..<(AppQuota.hourly - made.count) {
                _ = try await bank.fixture.service.change(try await register(bank, ada), .remove, by: ada)
            }
            let full = await backOfficeRefusal { _ = try await register(bank, ada) }
            bank.time.advance(3_600)
            let later = await backOfficeRefusal { _ = try await register(bank, ada) }

            #expect(
                made.count == AppQuota.openRegistrations && refused == "ERROR_REQUEST" && full == "ERROR_REQUEST"
                    && later == nil)
        }
    }

    @Test("sixty messages an hour, and as many as it likes for a service")
    func messages() async throws {
        try await OperationsBank.with { bank in
            let ada = try await app(bank)
            for _ in 0..<AppQuota.hourly { try await send(bank, ada) }

            let full = await backOfficeRefusal { try await send(bank, ada) }
            for _ in 0...AppQuota.hourly {
                _ = try await bank.service.addMessage(
                    ["userId": "ada", "subject": "s", "summary": "s", "body": "b"], by: PhoneFixture.bank)
            }
            bank.time.advance(3_600)
            let later = await backOfficeRefusal { try await send(bank, ada) }

            #expect(full == "ERROR_REQUEST" && later == nil)
        }
    }
}
