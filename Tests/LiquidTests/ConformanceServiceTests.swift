import Base
import Foundation
import ProtocolTestSupport
import TestSupport
import Testing

@testable import Liquid

@Suite("Liquid: FIDO's conformance calls")
struct ConformanceDeskTests {
    /// The tool leaves `rawId` out and writes an empty handle.
    private static func asTool(_ json: JSONValue, handle: JSONValue? = Optional.none) -> JSONValue {
        var members = json.object ?? [:]
        members["rawId"] = Optional.none
        if let handle, var response = members["response"]?.object {
            response["userHandle"] = handle
            members["response"] = .object(response)
        }
        return .object(members)
    }

    private static func register(
        _ authenticator: SoftAuthenticator, _ name: String = "ada", at fixture: ConformanceService,
        _ presented: PresentedSession
    ) async throws -> ConformanceAnswer {
        let options = fixture.attestationOptions(["username": .string(name), "displayName": "Ada"], for: presented)
        return await fixture.attestationResult(
            asTool(try authenticator.registration(try options.json.raw("challenge"))), by: presented)
    }

    private static func use(
        _ authenticator: SoftAuthenticator, _ name: String = "ada", needs: String = "required",
        at fixture: ConformanceService,
        _ presented: PresentedSession
    ) throws -> ConformanceAnswer {
        let options = fixture.assertionOptions(
            ["username": .string(name), "userVerification": .string(needs)], for: presented)
        return fixture.assertionResult(
            asTool(try authenticator.inUse.assertion(try options.json.raw("challenge")), handle: ""), by: presented)
    }

    @Test("both ceremonies, in the tool's own shapes; nothing of it logs in anywhere")
    func honest() async throws {
        try await LiquidFixture.with { room in
            let fixture = ConformanceService(room.service), presented = try await room.presented(),
                authenticator = SoftAuthenticator()
            let asked: JSONValue = [
                "username": "ada", "displayName": "Ada", "attestation": "direct", "extensions": ["example": 1],
                "authenticatorSelection": ["requireResidentKey": false, "userVerification": "required"],
            ]
            let options = fixture.attestationOptions(asked, for: presented),
                challenge = try options.json.raw("challenge")
            #expect(
                options.status == 200 && options.json["status"]?.string == "ok"
                    && options.json["errorMessage"]?.string == "")
            #expect(
                challenge.count == 32 && options.json["attestation"]?.string == "direct"
                    && options.json["user"]?["name"]?.string == "ada")
            #expect(
                options.json["extensions"] == asked["extensions"]
                    && options.json["authenticatorSelection"] == asked["authenticatorSelection"])
            let made = await fixture.attestationResult(
                Self.asTool(try authenticator.registration(challenge)), by: presented)
            #expect(made == .fine([:]))

            let again = fixture.attestationOptions(["username": "ada"], for: presented),
                excluded = again.json["excludeCredentials"]?.array
            #expect(excluded?.count == 1 && again.json["user"]?["id"]?.string == options.json["user"]?["id"]?.string)
            let request = fixture.assertionOptions(
                ["username": "ada", "userVerification": "discouraged", "extensions": ["example": 2]], for: presented)
            #expect(
                request.json["userVerification"]?.string == "discouraged"
                    && request.json["allowCredentials"]?.array?.count == 1)
            #expect(request.json["extensions"]?["example"]?.integer == 2)
            let used = try Self.use(authenticator, at: fixture, presented), counts = try await room.counts()
            let entry = try await LiquidFixture.refusal {
                _ = try await room.service.assertionOptions(Base64URL.encode(authenticator.id), for: presented)
            }
            #expect(used == .fine([:]) && counts == [0, 0, 0] && entry == .userNotFound)
        }
    }

    @Test("what is asked wrongly, of nobody, or of others")
    func requests() async throws {
        try await LiquidFixture.with { room in
            let fixture = ConformanceService(room.service), presented = try await room.presented()
            let long = JSONValue.string(String(repeating: "x", count: 65))
            let bad: [JSONValue] = [
                [], [:], ["username": ""], ["username": 1], ["username": long],
                ["username": "ada", "attestation": "odd"],
                ["username": "ada", "attestation": 1],
                ["username": "ada", "authenticatorSelection": ["userVerification": "odd"]],
            ]
            for body in bad {
                let answer = fixture.attestationOptions(body, for: presented)
                #expect(
                    answer.status == 400 && answer.json["status"]?.string == "failed"
                        && answer.json["errorMessage"]?.string?.isEmpty == false, "\(body.text)")
            }
            let nobody = fixture.assertionOptions(["username": "ada"], for: presented)
            _ = fixture.attestationOptions(["username": "ada"], for: presented)
            let empty = fixture.assertionOptions(["username": "ada"], for: presented)
            #expect(nobody == .failed("user_unknown") && empty == .failed("user_unknown"))
        }
    }

    @Test("a challenge is one browser's, one ceremony's, and used up by any answer")
    func challenges() async throws {
        try await LiquidFixture.with { room in
            let fixture = ConformanceService(room.service), presented = try await room.presented(),
                stranger = try await room.presented(), authenticator = SoftAuthenticator()
            let unknown = ConformanceAnswer.failed("challenge_unknown"),
                challenge = try fixture.attestationOptions(["username": "ada"], for: presented).json.raw("challenge")
            let body = try authenticator.registration(challenge)
            let foreign = await fixture.attestationResult(body, by: stranger),
                wrong = fixture.assertionResult(body, by: presented)
            let second = await fixture.attestationResult(body, by: presented)
            #expect(foreign == unknown && wrong == unknown && second == unknown)
            let late = try fixture.attestationOptions(["username": "ada"], for: presented).json.raw("challenge")
            room.time.advance(300)
            let over = await fixture.attestationResult(try authenticator.registration(late), by: presented)
            #expect(over == unknown)
        }
    }

    @Test("the checks are those of the ceremonies: signature, verification, counter, ids, users")
    func checks() async throws {
        try await LiquidFixture.with { room in
            let fixture = ConformanceService(room.service), presented = try await room.presented()
            var authenticator = SoftAuthenticator(), stolen = SoftAuthenticator(), spoilt = SoftAuthenticator()
            authenticator.counter = 5
            stolen.id = authenticator.id
            spoilt.clientData["origin"] = "https://evil.example"
            let made = try await Self.register(authenticator, at: fixture, presented),
                evil = try await Self.register(spoilt, at: fixture, presented)
            let taken = try await Self.register(stolen, "bob", at: fixture, presented),
                bobs = try await Self.register(SoftAuthenticator(), "bob", at: fixture, presented)
            #expect(made.status == 200 && bobs.status == 200)
            #expect(evil == .failed("origin_not_allowed") && taken == .failed("credential_exists"))

            let old = try Self.use(authenticator, at: fixture, presented)
            authenticator.counter = 6
            let bogus = try Self.use(stolen, at: fixture, presented),
                other = try Self.use(authenticator, "bob", at: fixture, presented)
            let fine = try Self.use(authenticator, at: fixture, presented)
            authenticator.counter = 7
            authenticator.flags = 0x01
            let unverified = try Self.use(authenticator, at: fixture, presented),
                present = try Self.use(authenticator, needs: "preferred", at: fixture, presented)
            #expect(
                old == .failed("counter_regressed") && bogus == .failed("signature_mismatch")
                    && other == .failed("credential_unknown"))
            #expect(fine.status == 200 && unverified == .failed("user_not_verified") && present.status == 200)
        }
    }

    @Test("what it keeps has an end: users, questions, passkeys of a user")
    func bounds() {
        func question(_ name: String, _ moment: Int) -> ConformanceBook.Question {
            ConformanceBook.Question(
                ceremony: .create, username: name, challenge: [1], verification: .required, conveyance: .none,
                expiresAt: Date(numericDate: moment))
        }
        var book = ConformanceBook()
        let now = Date(numericDate: 100)
        for number in 0..<ConformanceBook.mostUsers {
            let holder = Array("\(number)".utf8),
                user = book.register(question("user \(number)", 200), holder: holder, handle: holder, at: now)
            #expect(user?.handle == holder)
        }
        let none = book.register(question("one more", 200), holder: Array("0".utf8), handle: [1], at: now)
        let full = book.register(question("user 0", 200), holder: [0], handle: [1], at: now)
        let same = book.register(question("user 0", 200), holder: Array("0".utf8), handle: [1], at: now)
        let later = book.register(question("user 0", 400), holder: [0], handle: [1], at: Date(numericDate: 300))
        let refused = [none, full].allSatisfy { $0 == nil }, taken = [same, later].allSatisfy { $0 != nil }
        #expect(refused && taken)
    }
}
