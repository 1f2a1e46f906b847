import Base
import HTTPTypes
import TestSupport
import Testing

@Suite("RFC 9110 If-Match and If-None-Match at the administration API", .server)
struct AdminAPIConditionTests {
    private static let refused = "412 precondition_failed"

    /// An account of its own, with the tag under which it was read.
    private func account() async throws -> (party: AdminParty, path: String, tag: String) {
        let party = try await AdminParty.machine(try TestServer.ofSuite), name = AdminParty.fresh("user")
        let made = try await party.ask(
            .post, "/accounts", ["username": .string(name), "password": "a sentence that nobody has"])
        try #require(made.status == 201, "\(made.body)")
        let shown = try await party.ask(.get, "/accounts/\(name)")
        return (party, "/accounts/\(name)", try #require(shown[header: "ETag"]))
    }

    @Test("who has it is told that it has not changed; when it has, it is another one")
    func unchanged() async throws {
        let (party, path, tag) = try await account()

        let same = try await party.ask(.get, path, headers: [.ifNoneMatch: tag])
        _ = try await party.ask(.patch, path, ["name": "New"])
        let other = try await party.ask(.get, path, headers: [.ifNoneMatch: tag])

        #expect(same.status == 304 && same.body.isEmpty && same[header: "ETag"] == tag)
        #expect(other.status == 200 && other[header: "ETag"] != tag && tag.hasPrefix("\""))
    }

    @Test("a change under the tag of what is there is done, whatever it is called; under an earlier one nothing is")
    func changed() async throws {
        let (party, path, tag) = try await account()
        let id = try #require(try await party.ask(.get, path)["id"])

        let first = try await party.ask(.patch, "/accounts/\(id)", ["name": "One"], headers: [.ifMatch: tag])
        let second = try await party.ask(.patch, path, ["name": "Two"], headers: [.ifMatch: tag])
        let suspended = try await party.ask(.post, path + "/suspend", [:], headers: [.ifMatch: tag])
        let deleted = try await party.ask(.delete, path, headers: [.ifMatch: tag])
        let shown = try await party.ask(.get, path)

        #expect(first.status == 200 && second.outcome == Self.refused)
        #expect(suspended.outcome == Self.refused && deleted.outcome == Self.refused)
        #expect(shown["name"] == "One" && shown["status"] == "active")
    }

    @Test(
        "what is no tag of the thing",
        arguments: [
            ("W/TAG", "412 precondition_failed"), ("\"other\"", "412 precondition_failed"), ("TAG, \"other\"", "200"),
            ("*", "200"), ("no tag", "400 usage"),
            ((0..<15).map { "\"x\($0)\"" }.joined(separator: ", ") + ", TAG", "200"),
            ((0..<16).map { "\"x\($0)\"" }.joined(separator: ", ") + ", TAG", "400 usage"),
        ])
    func tags(field: String, outcome: String) async throws {
        let (party, path, tag) = try await account()

        let reply = try await party.ask(
            .patch, path, ["name": "New"], headers: [.ifMatch: field.replacing("TAG", with: tag)])

        #expect(reply.outcome == outcome, "\(reply.body)")
    }

    @Test("what is not there, or has no tag, is changed under none")
    func nothing() async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite)

        let missing = try await party.ask(.patch, "/accounts/nobody-here", ["name": "x"], headers: [.ifMatch: "*"])
        let list = try await party.ask(.post, "/apps", ["app": "x", "name": "x"], headers: [.ifMatch: "*"])

        #expect(missing.outcome == Self.refused && list.outcome == Self.refused)
    }

    @Test("of two at once under the same tag one is done")
    func race() async throws {
        let (party, path, tag) = try await account()

        async let one = party.ask(.patch, path, ["name": "One"], headers: [.ifMatch: tag])
        async let two = party.ask(.patch, path, ["name": "Two"], headers: [.ifMatch: tag])
        let outcomes = try await [one.outcome, two.outcome].sorted()

        #expect(outcomes == ["200", Self.refused])
    }
}
