import Base
import Foundation
import HTTPTypes
import Operations
import TestSupport
import Testing

@Suite("operations: waiting for a phone, and what is described", .server)
struct OperationsWaitingTests {
    private func wait(_ seconds: String, unlike tag: String? = nil) -> HTTPFields {
        var headers = HTTPFields()
        headers[HTTPField.Name("Prefer") ?? .server] = "wait=\(seconds)"
        headers[.ifNoneMatch] = tag
        return headers
    }

    @Test("a state has its tag; whoever has it is told 304")
    func tags() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite), order = try await party.order(),
            path = "/v2/operations/\(order["operationId"] ?? "")"
        let first = try await party.call(.get, path), tag = try #require(first[header: "ETag"])
        let same = try await party.call(.get, path, headers: [.ifNoneMatch: tag])
        _ = try await party.call(.delete, path)
        let later = try await party.call(.get, path, headers: [.ifNoneMatch: tag])

        #expect(
            first.status == 200 && first[header: "Cache-Control"] == "no-store" && same.status == 304
                && same.body.isEmpty)
        #expect(later.status == 200 && later["status"] == "CANCELED" && later[header: "ETag"] != tag)
    }

    @Test("a wait ends when the phone has decided", arguments: [false, true])
    func decided(_ isConditional: Bool) async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite), order = try await party.order(),
            path = "/v2/operations/\(order["operationId"] ?? "")"
        var phone = try await party.phone()
        let now = try await party.call(.get, path),
            headers = wait("30", unlike: isConditional ? now[header: "ETag"] : nil)

        async let waiting = party.call(.get, path, headers: headers)
        try await Task.sleep(for: .milliseconds(300))
        let approved = try await phone.approve(order)
        let reply = try await waiting

        #expect(
            approved.isOK && reply.status == 200 && reply["status"] == "APPROVED"
                && reply[header: "Preference-Applied"] == "wait=30")
    }

    @Test("unchanged at the end: 304 to whoever named the state, the state to others")
    func unchanged() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite), order = try await party.order(),
            path = "/v2/operations/\(order["operationId"] ?? "")"
        let tag = try #require(try await party.call(.get, path)[header: "ETag"])

        let named = try await party.call(.get, path, headers: wait("1", unlike: tag)),
            unnamed = try await party.call(.get, path, headers: wait("1"))

        #expect(
            named.status == 304 && named[header: "Preference-Applied"] == "wait=1" && unnamed.status == 200
                && unnamed["status"] == "PENDING")
    }

    @Test("events: a final state is told and ends the stream; they want a token like everything else")
    func events() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite), order = try await party.order(),
            path = "/v2/operations/\(order["operationId"] ?? "")"
        _ = try await party.call(.delete, path)

        let told = try await party.call(.get, path, headers: [.accept: "text/event-stream"])
        let json = try await party.call(.get, path, headers: [.accept: "application/json, text/event-stream;q=0.5"])
        let locked = try await party.call(
            .get, path, headers: [.accept: "text/event-stream"], authorization: "Bearer x")
        let none = try await party.call(.get, "/v2/operations/none", headers: [.accept: "text/event-stream"])

        #expect(
            told.status == 200 && told[header: "Content-Type"] == "text/event-stream"
                && told.body.contains("event: state\ndata: final\n"))
        #expect(
            json["status"] == "CANCELED" && locked.outcome == "401 invalid_token"
                && none.refusal == "400 ERROR_OPERATION_NOT_FOUND")
    }

    @Test("/openapi.yaml tells parameters, bodies and answers of /v2, and every schema that it names is there")
    func described() async throws {
        let described = try DescribedAPI(try await TestServer.ofSuite.get("/openapi.yaml").body),
            path = "/services/operations/v2/operations/{id}"
        let read = try #require(described["get", path]), cancelled = try #require(described["delete", path])
        let made = described["post", "/services/operations/v2/operations"]

        #expect(
            read.parameters.map { $0["name"]?.string } == ["id", "Prefer", "If-None-Match", "DPoP"]
                && read.parameters[1]["in"] == "header")
        #expect(
            cancelled.parameters.map { $0["name"]?.string } == ["id", "statusReason", "DPoP"]
                && cancelled.parameters[1]["in"] == "query")
        #expect(
            made?.bodySchema?["$ref"] == "#/components/schemas/NewOperation"
                && made?.answers.keys.sorted() == ["201", "400", "401", "403", "409", "413", "415", "429", "503"])
        #expect(
            !described.named.isEmpty && described.named == Set(described.schemas.keys),
            "\(described.named.symmetricDifference(described.schemas.keys))")
    }

    @Test("the service publishes what it offers")
    func published() async throws {
        let reply = try await TestServer.ofSuite.get(OperationsParty.path + "/rsd")

        #expect(
            reply.status == 200 && reply.body.contains("org.ietf.oauth2")
                && reply.body.contains("com.wultra.operations"))
    }
}
