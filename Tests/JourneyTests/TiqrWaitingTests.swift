import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tiqr: waiting for a phone (RFC 7240, 4.3; RFC 9110, 13.1.2)", .server)
struct TiqrWaitingTests {
    private func wait(_ seconds: String, unlike tag: String? = nil) -> HTTPFields {
        var headers = HTTPFields()
        headers[HTTPField.Name("Prefer") ?? .server] = "wait=\(seconds)"
        headers[.ifNoneMatch] = tag
        return headers
    }

    @Test("a state has its tag; whoever has it is told 304, also by a list, weakly or by *")
    func tags() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), started = try await party.startAuthentication(),
            path = "/authentications/\(started.id)"
        let first = try await party.call(.get, path), tag = try #require(first[header: "ETag"])
        #expect(
            first.status == 200 && first[header: "Cache-Control"] == "no-store"
                && first[header: "Preference-Applied"] == nil)

        for field in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            let reply = try await party.call(.get, path, headers: [.ifNoneMatch: field])
            #expect(reply.status == 304 && reply.body.isEmpty && reply[header: "ETag"] == tag, "\(field)")
        }
        #expect(try await party.call(.get, path, headers: [.ifNoneMatch: "\"other\""]).status == 200)
        #expect(try await party.call(.delete, path).status == 204)
        let later = try await party.call(.get, path, headers: [.ifNoneMatch: tag])
        #expect(later.status == 200 && later["status"] == "cancelled" && later[header: "ETag"] != tag)
    }

    @Test("a wait ends when the phone has answered", arguments: [false, true])
    func answered(_ isConditional: Bool) async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), phone = TiqrPhone(party.server),
            identity = try await party.enroll(phone)
        let started = try await party.startAuthentication(for: identity), path = "/authentications/\(started.id)"
        let now = try await party.call(.get, path),
            headers = wait("30", unlike: isConditional ? now[header: "ETag"] : nil)

        async let waiting = party.call(.get, path, headers: headers)
        try await Task.sleep(for: .milliseconds(300))
        let isIn = try await phone.logsIn(started.authURL, identity)
        let reply = try await waiting

        #expect(
            isIn && reply.status == 200 && reply["status"] == "authenticated"
                && reply[header: "Preference-Applied"] == "wait=30")
    }

    @Test("a change that came before the question is told at once; so is a state that can change no more")
    func atOnce() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), phone = TiqrPhone(party.server),
            identity = try await party.enroll(phone)
        let started = try await party.startAuthentication(for: identity), path = "/authentications/\(started.id)"
        let tag = try #require(try await party.call(.get, path)[header: "ETag"])
        #expect(try await phone.logsIn(started.authURL, identity))

        let changed = try await party.call(.get, path, headers: wait("60", unlike: tag)),
            settled = try await party.call(.get, path, headers: wait("60"))

        #expect(changed["status"] == "authenticated" && settled["status"] == "authenticated")
    }

    @Test("unchanged at the end: 304 to whoever named the state, the state to others")
    func unchanged() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), started = try await party.startAuthentication(),
            path = "/authentications/\(started.id)"
        let tag = try #require(try await party.call(.get, path)[header: "ETag"])

        let named = try await party.call(.get, path, headers: wait("1", unlike: tag)),
            unnamed = try await party.call(.get, path, headers: wait("1"))

        #expect(named.status == 304 && named[header: "Preference-Applied"] == "wait=1")
        #expect(unnamed.status == 200 && unnamed["status"] == "pending")
    }

    @Test("what is no number of seconds is not honoured, and no error", arguments: ["0", "soon", "-1", "1.5", ""])
    func notHonoured(_ seconds: String) async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), started = try await party.startAuthentication(),
            path = "/authentications/\(started.id)"

        let reply = try await party.call(.get, path, headers: wait(seconds))

        #expect(
            reply.status == 200 && reply["status"] == "pending"
                && reply[header: "Preference-Applied"] == (seconds == "0" ? "wait=0" : nil))
    }

    @Test("an enrollment is waited for likewise, and longer than a minute nobody waits")
    func enrollment() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), phone = TiqrPhone(party.server),
            started = try await party.startEnrollment()
        let headers = wait("3600")

        async let waiting = party.call(.get, "/enrollments/\(started.id)", headers: headers)
        try await Task.sleep(for: .milliseconds(300))
        _ = try await phone.readMetadata(started.enrollURL)
        let reply = try await waiting

        #expect(reply["status"] == "retrieved" && reply[header: "Preference-Applied"] == "wait=60")
    }

    @Test("looking counts nothing")
    func looking() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), phone = TiqrPhone(party.server),
            identity = try await party.enroll(phone)
        let started = try await party.startAuthentication(for: identity)

        for _ in 0..<10 { #expect(try await party.status("/authentications/\(started.id)") == "pending") }

        #expect(try await party.identity(identity)["attempts_left"] == 5)
        #expect(try await phone.logsIn(started.authURL, identity))
    }
}
