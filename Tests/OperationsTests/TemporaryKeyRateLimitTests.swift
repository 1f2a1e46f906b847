import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Operations
@testable import PowerAuth

@Suite("PowerAuth 4: how many temporary keys strangers get")
struct TemporaryKeyRateLimitTests {
    private static let start = Date(numericDate: 1_800_000_000)

    /// How many of the next so many are given.
    private static func given(
        _ limit: TemporaryKeyRateLimit, _ application: String, _ origin: String?, _ count: Int, at now: Date
    ) -> Int {
        (0..<count).count(where: { _ in (try? limit.take(application, from: origin, at: now)) != nil })
    }

    @Test("so many at once for each application and address, then so many a second")
    func addresses() {
        let limit = TemporaryKeyRateLimit(), start = Self.start
        let first = Self.given(limit, "a", "2001:db8:1:2::1", 401, at: start),
            neighbour = Self.given(limit, "a", "2001:db8:1:2:ffff::9", 1, at: start),
            stranger = Self.given(limit, "a", "2001:db8:1:3::1", 1, at: start),
            other = Self.given(limit, "b", "2001:db8:1:2::1", 1, at: start)
        let soon = Self.given(limit, "a", "2001:db8:1:2::1", 10, at: start + 2)
        let nobody = Self.given(limit, "a", nil, 401, at: start)

        #expect(first == 400 && neighbour == 0 && stranger == 1 && other == 1)
        #expect(soon == 4 && nobody == 400)
    }

    @Test("many addresses together get so many of one application; others go on")
    func applications() {
        let limit = TemporaryKeyRateLimit(), start = Self.start
        let many = (0..<21_000).count(where: { number in
            Self.given(limit, "a", "10.\(number / 65_536).\(number / 256 % 256).\(number % 256)", 1, at: start) == 1
        })
        let more = Self.given(limit, "a", "192.0.2.1", 1, at: start),
            other = Self.given(limit, "b", "192.0.2.1", 1, at: start)
        let later = Self.given(limit, "a", "192.0.2.2", 1, at: start + 1)

        #expect(many == 20_000 && more == 0 && other == 1 && later == 1)
    }

    @Test("beyond it the phone hears 429 and when to come back, and no row is written; a second later it gets one")
    func refused() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourPhone()
            _ = try await phone.temporaryKey()
            let parts = fixture.service.parts
            let application = try await parts.applications.usable(phone.applicationKey, in: fixture.database)
                .applicationID
            // The address of the fixture's phones.
            while (try? parts.temporaryRate.take(application, from: "192.0.2.1", at: fixture.time.now)) != nil {}
            let before = try await count(fixture), refused = await refusal { _ = try await phone.temporaryKey() },
                after = try await count(fixture)
            let forged = await refusal {
                _ = try await phone.temporaryKey { String($0.dropLast()) + ($0.hasSuffix("A") ? "B" : "A") }
            }
            fixture.time.advance(1)
            let later = try await phone.temporaryKey()
            // A registration's own keys are not of strangers.
            fixture.time.advance(1)
            try await phone.activate(try await fixture.start("ada", phase: .onKeyExchange).code.text)
            while (try? parts.temporaryRate.take(application, from: "192.0.2.1", at: fixture.time.now)) != nil {}
            let own = try await phone.temporaryKey(inActivation: true)

            #expect(refused == .refused(status: 429, code: "ERR_TEMPORARY_KEY"))
            #expect(forged == .refused(status: 400, code: "ERR_TEMPORARY_KEY"))
            #expect(before == 1 && after == 1 && !later.id.isEmpty && !own.id.isEmpty)
        }
    }

    @Test("the answer over HTTP says when it is worth asking again")
    func header() {
        let response = OperationsPhoneRoutes.answer(.tooMany(.temporaryKey, seconds: 7)),
            plain = OperationsPhoneRoutes.answer(PowerAuthError.temporaryKey.answer)

        #expect(response.status == .tooManyRequests && response.headers[.retryAfter] == "7")
        #expect(plain.headers[.retryAfter] == nil)
    }

    private func count(_ fixture: PhoneFixture) async throws -> Int {
        try await fixture.database.value("select count(*) from phone_temporary_key")
    }
}
