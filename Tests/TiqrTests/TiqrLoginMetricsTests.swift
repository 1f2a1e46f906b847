import Foundation
import OAuth
import Server
import TestSupport
import Testing
import TokenTree

@testable import Tiqr

@Suite("pando_logins_total of tiqr")
struct TiqrLoginMetricsTests {
    private static let own = TiqrCaller.identityProvider(AuditActor(name: "server"))

    @Test("each refused answer of a phone to a login here is counted, by why; what phones answer to services is theirs")
    func refused() async throws {
        let registry = PrometheusRegistry()
        try await TiqrFixture.with(metrics: OAuthMetrics(registry)) { fixture in
            let phone = try await fixture.enroll(for: Self.own, externalID: UUID().uuidString.lowercased()),
                customer = try await fixture.enroll()
            let login = try await fixture.challenge(phone, for: Self.own),
                order = try await fixture.challenge(customer)
            let right = try await fixture.send(try customer.right(order), customer, to: order)
            for distance in 1...5 {
                _ = try await fixture.send(try phone.wrong(login, by: distance), phone, to: login)
            }
            let next = try await fixture.challenge(phone, for: Self.own)
            let blocked = try await fixture.send(try phone.right(next), phone, to: next)
            _ = try await fixture.guessUntilBlocked(customer)

            #expect(right == .authenticated && blocked == .blocked(minutes: 10))
        }

        let lines = registry.page.split(separator: "\n").filter { $0.hasPrefix("pando_logins_total{") }
        #expect(
            lines == [
                #"pando_logins_total{method="tiqr",outcome="blocked"} 1.0"#,
                #"pando_logins_total{method="tiqr",outcome="wrong_answer"} 5.0"#,
            ])
    }
}
