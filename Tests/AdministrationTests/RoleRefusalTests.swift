import Accounts
import Administration
import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("What roles of a part of the federation do not reach")
struct RoleRefusalTests {
    @Test("what is somebody else's is answered as what is not there")
    func unknown() async throws {
        try await Administered.with { (it: Administered) async throws in
            for (words, member, foreign) in [
                ("accounts show", "account", "bob"), ("services show", "service", "quiet"),
                ("apps show", "app", Administered.otherApp), ("clients show", "id", it.server.residents.signer.id),
                ("instances show", "id", "phone-bob"), ("tree show", "node", "account:bob"),
                ("institutions show", "institution", "school.example"), ("accounts delete", "account", "bob"),
                ("tokens revoke", "node", "instance:phone-bob"),
            ] {
                let theirs = try #require(
                    try await it.refusal(words, [member: .string(foreign)], as: it.ofInstitution))
                let absent = foreign + "-gone"
                let nothing = try #require(
                    try await it.refusal(words, [member: .string(absent)], as: it.ofInstitution))

                #expect(theirs.code == .notFound && nothing.code == .notFound, "\(words)")
                #expect(
                    theirs.description.replacing(foreign, with: "X") == nothing.description.replacing(absent, with: "X")
                )
                #expect(theirs.hint == nothing.hint)
            }
            #expect(try await it.listed("accounts list", "username").contains("bob"))
        }
    }

    @Test("an account with a role beyond theirs is not taken over: no password, no address, no link, no end")
    func takeover() async throws {
        try await Administered.with { (it: Administered) async throws in
            for (role, scope) in [
                ("administrator", [:] as JSONObject), ("auditor", [:]),
                ("institution-administrator", ["institution": "school.example"]),
                ("service-owner", ["service": "quiet"]),
            ] {
                var given: JSONObject = ["account": "ada", "role": .string(role)]
                for (name, value) in scope { given[name] = value }
                try await it.run("roles grant", given)

                for (words, more) in [
                    ("accounts password", ["password": "a long and new one"] as JSONObject),
                    ("accounts update", ["email": "me@uni.example"]), ("accounts invite", [:]),
                    ("accounts suspend", [:]), ("accounts delete", [:]),
                ] {
                    var arguments: JSONObject = ["account": "ada"]
                    for (name, value) in more { arguments[name] = value }
                    let refusal = try await it.refusal(words, arguments, as: it.ofInstitution)
                    #expect(refusal?.code == .forbidden, "\(words) \(role)")
                }
                try await it.run("roles withdraw", given)
            }
            // A role within theirs is none beyond.
            try await it.run(
                "roles grant", ["account": "ada", "role": "service-owner", "service": "learn"])
            #expect(
                try await it.refusal("accounts update", ["account": "ada", "name": "A"], as: it.ofInstitution) == nil)
        }
    }

    @Test("what only the federation says is refused, whoever's the thing is")
    func withheld() async throws {
        try await Administered.with { (it: Administered) async throws in
            let machine = JSONValue.string(it.server.residents.machine.id), app = JSONValue.string(Residents.app)
            for (words, arguments) in [
                ("accounts update", ["account": "ada", "institution": ""] as JSONObject),
                ("accounts update", ["account": "ada", "institution": "school.example"]),
                ("services update", ["service": "learn", "claim": ["email"]]),
                ("services update", ["service": "learn", "no_claims": true]),
                ("services update", ["service": "learn", "base": "https://elsewhere.uni.example"]),
                ("services add", ["base": "https://new.uni.example", "name": "New", "claim": ["email"]]),
                ("clients update", ["id": machine, "claim": ["email"]]),
                ("clients create", ["name": "C", "redirect_uri": ["https://c.uni.example/cb"], "claim": ["email"]]),
                (
                    "clients create",
                    ["name": "C", "redirect_uri": ["https://c.uni.example/cb"], "scope": ["openid", "admin"]]
                ),
                (
                    "clients create",
                    ["name": "C", "redirect_uri": ["https://c.uni.example/cb"], "scope": "openid admin.read"]
                ),
                ("apps update", ["app": app, "all_claims": true]),
                ("roles grant", ["account": "ada", "role": "administrator"]),
                ("roles grant", ["account": "ada", "role": "auditor"]),
                ("services approve", ["service": "learn"]), ("apps allow", ["app": app]),
                ("institutions update", ["institution": "uni.example", "domain": ["school.example"]]),
                ("keys rotate", [:]), ("epoch bump", [:]),
            ] {
                #expect(try await it.refusal(words, arguments, as: it.ofInstitution)?.code == .forbidden, "\(words)")
            }
            for said in [["claim": ["email"]], ["base": "https://elsewhere.example"]] as [JSONObject] {
                var arguments = said
                arguments["service"] = "learn"
                #expect(try await it.refusal("services update", arguments, as: it.owner)?.code == .forbidden)
            }
        }
    }

    @Test("what the federation refused, nobody lets in again by taking it away and making it anew")
    func refusedApp() async throws {
        try await Administered.with { (it: Administered) async throws in
            let app: JSONObject = ["app": .string(Residents.app)]
            try await it.run("apps refuse", app)

            #expect(try await it.refusal("apps delete", app, as: it.ofInstitution)?.code == .forbidden)
            try await it.run("apps allow", app)
            #expect(try await it.refusal("apps delete", app, as: it.ofInstitution) == nil)
        }
    }

    @Test("an institution says of its people what its domains are in, and nothing in others' names")
    func domains() async throws {
        try await Administered.with { (it: Administered) async throws in
            func said(_ pair: String) async throws -> AdminFailure.Code? {
                try await it.refusal(
                    "accounts update", ["account": "ada", "attribute": [.string(pair)]], as: it.ofInstitution)?.code
            }

            #expect(try await said("eduperson_scoped_affiliation=staff@uni.example") == nil)
            #expect(try await said("groups=teachers@physics.uni.example") == nil)
            #expect(try await said("eduperson_affiliation=staff") == nil)
            for pair in [
                "eduperson_scoped_affiliation=faculty@school.example", "groups=teachers@notuni.example",
                "schac_home_organization=school.example", "eduperson_principal_name=ada@example",
            ] { #expect(try await said(pair) == .forbidden, "\(pair)") }
        }
    }

    @Test("roles are given and taken within theirs only, to their own people")
    func grants() async throws {
        try await Administered.with { (it: Administered) async throws in
            func refused(_ words: String, _ arguments: JSONObject) async throws -> AdminFailure.Code? {
                try await it.refusal(words, arguments, as: it.ofInstitution)?.code
            }
            let own: JSONObject = ["account": "ada", "role": "service-owner", "service": "learn"]

            #expect(try await refused("roles grant", own) == nil)
            #expect(try await refused("roles withdraw", own) == nil)
            #expect(try await refused("roles withdraw", own) == .notFound)
            #expect(
                try await refused("roles grant", ["account": "ada", "role": "service-owner", "service": "quiet"])
                    == .notFound)
            #expect(
                try await refused(
                    "roles grant",
                    ["account": "ada", "role": "institution-administrator", "institution": "school.example"])
                    == .notFound)
            let foreign: JSONObject = ["account": "bob", "role": "service-owner", "service": "learn"]
            #expect(try await refused("roles grant", foreign) == .notFound)
            #expect(try await refused("roles withdraw", foreign) == .notFound)
            // Whom the federation gave one at their service, they may take it from.
            try await it.run("roles grant", foreign)
            #expect(try await refused("roles withdraw", foreign) == nil)
        }
    }

    @Test("whoever logged in too long ago destroys nothing, and is told how old a login may be")
    func stepUp() async throws {
        try await Administered.with { (it: Administered) async throws in
            let old = it.ofInstitutions(["uni.example"], age: 901)

            let refusal = try #require(try await it.refusal("accounts delete", ["account": "ada"], as: old))

            #expect(refusal.code == .stepUp && refusal.code.rawValue == "insufficient_user_authentication")
            #expect(refusal.maxAge == 900)
            let never = AdminAuthority(old.grants, of: it.ada, authenticatedAt: nil)
            #expect(try await it.refusal("accounts delete", ["account": "ada"], as: never)?.code == .stepUp)
            #expect(try await it.refusal("accounts delete", ["account": "bob"], as: old)?.code == .notFound)
            #expect(try await it.refusal("accounts delete", ["account": "ada", "dry_run": true], as: old) == nil)
            #expect(try await it.refusal("accounts update", ["account": "ada", "name": "A"], as: old) == nil)
            #expect(try await it.refusal("accounts delete", ["account": "ada"], as: it.ofInstitution) == nil)
        }
    }

    @Test("an account that moves while its old administrator deletes it is not deleted")
    func race() async throws {
        try await Administered.with { (it: Administered) async throws in
            let database = it.server.database
            let deletion = try await database.transaction { transaction in
                try await InstitutionStore(clock: it.server.time.clock).assign(
                    .account(it.ada), to: Administered.school, in: transaction)
                let deletion = Task {
                    try await it.refusal("accounts delete", ["account": "ada"], as: it.ofInstitution)
                }
                // It waits for the move; if it did not, it would be over, and the test fails below.
                for _ in 0..<200 {
                    let waiting: Int = try await database.value(
                        """
                        select count(*) from pg_locks where locktype = 'advisory' and not granted
                            and database = (select d.oid from pg_database d where d.datname = current_database())
                        """)
                    if waiting > 0 { break }
                    try await Task.sleep(for: .milliseconds(10))
                }
                return deletion
            }

            #expect(try await deletion.value?.code == .notFound)
            #expect(try await it.told("accounts show", ["account": "ada"])["institution"] == "school.example")
        }
    }
}
