import Base
import HTTPTypes
import TestSupport
import Testing

@Suite("What every test's answers are held against", .server)
struct AnswersAsToldTests {
    private func held() async throws -> AnswersAsTold {
        AnswersAsTold(try DescribedAPI(try await TestServer.ofSuite.get("/openapi.yaml").body))
    }

    private func reply(_ status: Int, _ json: JSONValue) -> Reply {
        Reply(status: status, headers: [.contentType: "application/json"], body: json.text)
    }

    @Test("the place is found by its template, a literal before a parameter, and nothing else is watched")
    func places() async throws {
        let held = try await held()

        #expect(
            held.template("get", "/services/operations/v2/operations/abc") == "/services/operations/v2/operations/{id}")
        #expect(
            held.template("put", "/services/operations/v2/applications/a/push/apns")
                == "/services/operations/v2/applications/{id}/push/{provider}")
        #expect(held.template("get", "/auth/session") == "/auth/session")
        #expect(held.template("get", "/services/operations/v2/nothing/here/at/all") == nil)
        #expect(held.template("get", "/jwks.json") == nil)
    }

    @Test("a member that is missing, of another type or untold is found, in errors that are told too")
    func faults() async throws {
        let held = try await held(), place = "/services/operations/v2/applications/{id}/push"
        let right: JSONObject = ["provider": "hms", "appId": "100", "timestampCreated": 1]
        func faults(_ change: (inout JSONObject) -> Void, _ status: Int = 200) -> [String] {
            var members = right
            change(&members)
            return held.faults(reply(status, ["push": [.object(members)]]), "get", place)
        }

        #expect(faults { _ in } == [])
        #expect(faults { $0["timestampCreated"] = "1" } != [])
        #expect(faults { $0 = $0.filtered { $0 != "provider" } } != [])
        #expect(faults { $0["secret"] = "x" } == [".push[].secret: nobody told of it"])
        #expect(faults({ _ in }, 401) != [])
        #expect(held.faults(reply(201, ["push": []]), "get", place) != [])
    }
}
