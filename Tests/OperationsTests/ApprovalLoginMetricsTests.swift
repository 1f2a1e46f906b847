import Base
import Foundation
import OAuth
import Server
import TestSupport
import Testing
import TokenTree

@testable import Operations

@Suite("pando_logins_total of operations")
struct ApprovalLoginMetricsTests {
    private static let server = OperationsCaller.identityProvider(.server)
    private static let asked: JSONObject = ["service": "Notes", "address": "192.0.2.9"]

    /// One of the server's own people.
    private func resident(_ bank: OperationsBank) async throws -> BankPhone {
        let config = try #require(try await bank.fixture.service.idpApplication().sdkConfig)
        let own = OperationsBank(
            fixture: PhoneFixture(tree: bank.tree, service: bank.fixture.service, sdkConfig: config),
            service: bank.service)
        return try await own.phone(
            try await bank.fixture.service.startRegistration(
                try PhoneRegistrationDraft(userID: "resident", commitPhase: .onKeyExchange), by: Self.server))
    }

    @Test("each refused answer of a phone to a login here is counted, by the step; what a bank asks is the bank's")
    func refused() async throws {
        let registry = PrometheusRegistry()
        try await OperationsBank.with(metrics: OAuthMetrics(registry)) { bank in
            var phone = try await resident(bank), customer = try await bank.phone()
            let login = try await bank.order("resident", "login", parameters: Self.asked, by: Self.server),
                payment = try await bank.order()

            let mistyped = try await phone.authorize(login, isWrong: true),
                other = try await phone.authorize(login, data: login.operation.data + " "),
                right = try await phone.authorize(login), again = try await phone.authorize(login)
            let ofTheBank = try await customer.authorize(payment, data: payment.operation.data + " ")

            #expect([mistyped, other, again, ofTheBank].allSatisfy { !$0.isOK } && right.isOK)
        }

        let lines = registry.page.split(separator: "\n").filter { $0.hasPrefix("pando_logins_total{") }
        #expect(
            lines == [
                #"pando_logins_total{method="operations",outcome="data_mismatch"} 1.0"#,
                #"pando_logins_total{method="operations",outcome="operation_not_pending"} 1.0"#,
                #"pando_logins_total{method="operations",outcome="signature_mismatch"} 1.0"#,
            ])
    }
}
