import Accounts
import Administration
import Base
import Foundation
import TestSupport
import Testing

@Suite("Ways round what roles do not reach")
struct RoleDetourTests {
    @Test("a version of another app is not met by a name that is split elsewhere")
    func versions() async throws {
        try await Administered.with { (it: Administered) async throws in
            try await it.run("apps create", ["app": "org.school", "name": "Near", "institution": "uni.example"])
            let split: JSONObject = ["app": "org.school", "version": "app.1"]
            let whole: JSONObject = ["app": .string(Administered.otherApp), "version": "1"]

            #expect(try await it.refusal("apps versions refuse", split, as: it.ofInstitution)?.code == .notFound)
            #expect(try await it.refusal("apps versions refuse", split, as: .operatorOfDatabase)?.code == .notFound)
            #expect(try await it.told("apps versions show", whole)["status"] == "allowed")
            try await it.run("apps versions refuse", whole)
            #expect(try await it.refusal("apps versions allow", split, as: it.ofInstitution)?.code == .notFound)
            #expect(try await it.told("apps versions show", whole)["status"] == "refused")
        }
    }

    @Test("what is asked for is read as it is done: in an array of texts and numbers, and as a truth value")
    func spellings() async throws {
        try await Administered.with { (it: Administered) async throws in
            let client: JSONObject = ["name": "C", "redirect_uri": ["https://c.uni.example/cb"]]
            for scope: JSONValue in [
                ["admin", 1], [1, "openid", "admin.read"], ["openid", true, "scim"], ["openid admin", 7],
            ] {
                var arguments = client
                arguments["scope"] = scope
                #expect(
                    try await it.refusal("clients create", arguments, as: it.ofInstitution)?.code == .forbidden,
                    "\(scope.text)")
            }
            for (words, arguments) in [
                ("accounts update", ["account": "ada", "institution": false] as JSONObject),
                ("accounts update", ["account": "ada", "attribute": ["groups=a@school.example", 1]]),
                ("services update", ["service": "learn", "claim": false]),
            ] {
                let refusal = try await it.refusal(words, arguments, as: it.ofInstitution)
                #expect(refusal?.code == .forbidden, "\(words) \(JSONValue.object(arguments).text)")
            }
        }
    }

    @Test("who only looks takes no proposal back, and shows no control of one that is somebody else's")
    func proposals() async throws {
        try await Administered.with { (it: Administered) async throws in
            let by = it.ofInstitution
            let made = try await it.told("services propose", ["base": "https://a.uni.example"], as: by)
            let named: JSONObject = ["proposal": made["id"] ?? .null]

            for words in ["services proposals withdraw", "services proposals prove"] {
                #expect(try await it.refusal(words, named, as: it.auditor)?.code == .notFound, "\(words)")
            }
            #expect(try await it.told("services proposals show", named, as: it.auditor)["status"] == "proposed")
            #expect(try await it.refusal("services proposals withdraw", named, as: by) == nil)
        }
    }

    @Test("a client that administers the federation is changed by the federation alone, whomever it belongs to")
    func machines() async throws {
        try await Administered.with { (it: Administered) async throws in
            for scope in ["admin", "admin.read"] {
                let made = try await it.told(
                    "clients create",
                    [
                        "name": "M", "grant": ["client_credentials"], "scope": [.string(scope)],
                        "institution": "uni.example",
                    ])
                let named: JSONObject = ["id": made["client_id"] ?? .null]
                var renamed = named
                renamed["name"] = "N"

                #expect(try await it.refusal("clients show", named, as: it.ofInstitution) == nil)
                for (words, arguments) in [
                    ("clients update", renamed), ("clients rotate-secret", named), ("clients delete", named),
                ] {
                    let refusal = try await it.refusal(words, arguments, as: it.ofInstitution)
                    #expect(refusal?.code == .forbidden, "\(words) \(scope)")
                }
                #expect(try await it.refusal("clients rotate-secret", named, as: it.administrator) == nil)
            }
        }
    }

    @Test("a service that was let in at one address is not moved to another by who has it")
    func address() async throws {
        try await Administered.with { (it: Administered) async throws in
            let elsewhere: JSONObject = ["service": "learn", "base": "https://elsewhere.example"]

            for authority in [it.owner, it.ofInstitution] {
                #expect(try await it.refusal("services update", elsewhere, as: authority)?.code == .forbidden)
            }
            // The federation may: that this one is of the server itself is another matter.
            #expect(try await it.refusal("services update", elsewhere, as: it.administrator)?.code == .conflict)
        }
    }

    @Test("who makes an account under a name that is taken is not told by whom, unless they see everybody")
    func taken() async throws {
        try await Administered.with { (it: Administered) async throws in
            let bob = it.bob.uuidString.lowercased()
            for (words, arguments) in [
                ("accounts create", ["username": "bob", "password": "a long and new one"] as JSONObject),
                ("accounts invite", ["username": "bob"]),
            ] {
                let theirs = try await it.refusal(words, arguments, as: it.ofInstitution)
                #expect(theirs?.code == .conflict && theirs?.description.contains(bob) == false, "\(words)")
                let all = try await it.refusal(words, arguments, as: it.administrator)
                #expect(all?.description.contains(bob) == true, "\(words)")
            }
        }
    }

    @Test("a file neither changes nor suspends who has a role beyond theirs, and tells of nobody whose they are")
    func files() async throws {
        try await Administered.with { (it: Administered) async throws in
            func imported(_ file: String, _ more: JSONObject) async throws -> JSONObject {
                var arguments: JSONObject = ["file": .string(file), "institution": "uni.example"]
                for (name, value) in more { arguments[name] = value }
                return try await it.told("accounts import", arguments, as: it.ofInstitution)
            }
            try await it.run("roles grant", ["account": "ada", "role": "auditor"])
            let before = try await it.told("accounts show", ["account": "ada"])

            let changed = try await imported("username,name\nada,Somebody\n", ["update": true])
            #expect(changed["refused"] == 1 && changed["changed"] == 0)
            let suspended = try await imported("username,name\nnew,New\n", ["suspend_missing": true])
            #expect(suspended["suspended"] == 0 && suspended["refused"] == 1)
            #expect(try await it.told("accounts show", ["account": "ada"]) == before)

            let foreign = try await imported("username,name\nbob,Bob\ncarol,Carol\n", ["update": true])
            let reasons = (foreign["refusals"]?.array ?? []).map { $0["reason"]?.string }
            #expect(reasons == ["is of somebody else here", "is of somebody else here"])

            try await it.run("roles withdraw", ["account": "ada", "role": "auditor"])
            let own = try await imported("username,name\nada,Somebody\n", ["update": true])
            #expect(own["refused"] == 0 && own["changed"] == 1)
        }
    }
}
