import Accounts
import Administration
import Base
import Federation
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("Institutions, and roles in them")
struct InstitutionTests {
    @Test("lists show what is theirs, and auditors everything")
    func lists() async throws {
        try await Administered.with { (it: Administered) async throws in
            let (school, uni) = (it.server.residents.signer.id, it.server.residents.machine.id)
            for (words, member, own, foreign) in [
                ("accounts list", "username", "ada", "bob"), ("services list", "id", "learn", "quiet"),
                ("apps list", "id", Residents.app, Administered.otherApp), ("clients list", "client_id", uni, school),
                ("instances list", "id", "phone-ada", "phone-bob"),
                ("institutions list", "id", "uni.example", "school.example"),
                ("events status", "service", "learn", "quiet"), ("crawl status", "service", "learn", "quiet"),
            ] {
                #expect(try await it.listed(words, member, as: it.ofInstitution) == [own], "\(words)")
                let all = try await it.listed(words, member, as: it.auditor)
                #expect(all.contains(own) && all.contains(foreign), "\(words)")
                let ofOwner = words.hasPrefix("services") || words.hasPrefix("events") || words.hasPrefix("crawl")
                if ofOwner { #expect(try await it.listed(words, member, as: it.owner) == [own], "\(words)") }
            }
        }
    }

    @Test("--institution shows what belongs to one, and an empty text what belongs to none")
    func filter() async throws {
        try await Administered.with { (it: Administered) async throws in
            func names(
                _ institution: String, as authority: AdminAuthority = .operatorOfDatabase
            ) async throws -> [String] {
                try await it.listed(
                    "accounts list", "username", ["institution": .string(institution)], as: authority)
            }

            #expect(try await names("school.example") == ["bob"])
            #expect(try await names("") == ["carol", "dan"])
            #expect(try await names("school.example", as: it.ofInstitution) == [])
            #expect(try await names("", as: it.ofInstitution) == [])
        }
    }

    @Test("the audit trail shows what is about their people and things, and not whom a service knows")
    func trail() async throws {
        try await Administered.with { (it: Administered) async throws in
            try await it.run("accounts update", ["account": "bob", "name": "B"])
            try await it.run("accounts refuse", ["account": "bob", "service": "learn"])
            try await it.run("services suspend", ["service": "quiet"])

            let seen = Set(try await it.listed("audit list", "node", as: it.ofInstitution))
            let ofOwner = Set(try await it.listed("audit list", "node", as: it.owner))

            let (ada, bob) = (it.ada.uuidString.lowercased(), it.bob.uuidString.lowercased())
            #expect(seen.isSuperset(of: ["account:\(ada)", "service:learn", "app:\(Residents.app)"]))
            #expect(seen.isDisjoint(with: ["account:\(bob)", "use:\(bob)/learn", "service:quiet"]))
            #expect(ofOwner == ["service:learn"])
            let all = Set(try await it.listed("audit list", "node", as: it.auditor))
            #expect(all.isSuperset(of: ["account:\(bob)", "use:\(bob)/learn", "service:quiet"]))
        }
    }

    @Test("what an institution's administrator makes belongs to it, and of several they say which")
    func made() async throws {
        try await Administered.with { (it: Administered) async throws in
            let invited = try await it.told("accounts invite", ["username": "eve"], as: it.ofInstitution)
            let app = try await it.told("apps create", ["app": "example.uni.app", "name": "A"], as: it.ofInstitution)
            let service = try await it.told(
                "services add", ["base": "https://new.uni.example", "name": "N", "id": "new"], as: it.ofInstitution)
            let client = try await it.told(
                "clients create", ["name": "C", "redirect_uri": ["https://c.uni.example/cb"]], as: it.ofInstitution)

            for thing in [invited, app, service, client] { #expect(thing["institution"] == "uni.example") }
            #expect(service["status"] == "pending")
            let both = it.ofInstitutions(["uni.example", "school.example"])
            let create: JSONObject = ["app": "example.both.app", "name": "A"]
            #expect(try await it.refusal("apps create", create, as: both)?.code == .usage)
            var named = create
            named["institution"] = "school.example"
            #expect(try await it.told("apps create", named, as: both)["institution"] == "school.example")
            named["app"] = "example.third.app"
            #expect(try await it.refusal("apps create", named, as: it.ofInstitution)?.code == .notFound)
        }
    }

    @Test("an institution is made once, is renamed, and deleted when nothing belongs to it")
    func life() async throws {
        try await Administered.with { (it: Administered) async throws in
            func refused(_ words: String, _ arguments: JSONObject) async throws -> AdminFailure.Code? {
                try await it.refusal(words, arguments, as: it.administrator)?.code
            }

            #expect(
                try await refused("institutions create", ["institution": "uni.example", "name": "U"]) == .conflict)
            #expect(try await refused("institutions create", ["institution": "Uni", "name": "U"]) == .invalid)
            #expect(try await refused("institutions create", ["institution": "u", "name": " "]) == .invalid)
            #expect(
                try await refused("institutions create", ["institution": "u", "name": "U", "domain": ["u"]])
                    == .invalid)
            #expect(try await refused("institutions show", ["institution": "u"]) == .notFound)
            #expect(
                try await refused("accounts update", ["account": "ada", "institution": "u"]) == .notFound)
            #expect(try await refused("institutions delete", ["institution": "uni.example"]) == .conflict)
            let counts = try await it.told("institutions show", ["institution": "uni.example"])
            for member in ["people", "services", "apps", "clients"] { #expect(counts[member] == 1, "\(member)") }

            let changed = try await it.told(
                "institutions update", ["institution": "uni.example", "name": "New", "domain": ["New.example"]])
            #expect(changed["name"] == "New" && changed["domains"] == ["uni.example", "new.example"])

            try await it.run("institutions create", ["institution": "u", "name": "U"])
            try await it.run(
                "roles grant", ["account": "carol", "role": "institution-administrator", "institution": "u"])
            try await it.run("institutions delete", ["institution": "u"])
            #expect(try await it.told("accounts show", ["account": "carol"])["roles"] == [])
        }
    }

    @Test("a role counts from the next request on, and neither of a suspended account nor after it is withdrawn")
    func roles() async throws {
        try await Administered.with { (it: Administered) async throws in
            let store = RoleStore(clock: it.server.time.clock), database = it.server.database
            let grant: JSONObject = ["account": "carol", "role": "auditor"]

            #expect(try await it.told("roles grant", grant)["already"] == false)
            #expect(try await it.told("roles grant", grant)["already"] == true)
            #expect(try await store.grants(of: it.carol, in: database).map(\.role) == [.auditor])
            #expect(try await it.listed("roles list", "username", ["role": "auditor"]) == ["carol"])

            try await it.run("accounts suspend", ["account": "carol"])
            #expect(try await store.grants(of: it.carol, in: database).isEmpty)
            try await it.run("accounts resume", ["account": "carol"])
            try await it.run("roles withdraw", grant)
            #expect(try await store.grants(of: it.carol, in: database).isEmpty)
            #expect(try await it.refusal("roles withdraw", grant, as: it.administrator)?.code == .notFound)
            for bad in [
                ["account": "carol", "role": "auditor", "institution": "uni.example"] as JSONObject,
                ["account": "carol", "role": "institution-administrator"], ["account": "carol", "role": "owner"],
                ["account": "carol", "role": "service-owner"],
            ] { #expect(try await it.refusal("roles grant", bad, as: it.administrator)?.code == .usage) }
        }
    }

    @Test("roles and institution are claims where they are released, as they are now")
    func claims() async throws {
        try await Administered.with { (it: Administered) async throws in
            let accounts = AccountStore(clock: it.server.time.clock), index = ServiceIndex(clock: it.server.time.clock)
            func told() async throws -> JSONObject {
                let person = try #require(try await accounts.find(it.ada, in: it.server.database))
                let learn = try #require(try await index.find("learn", in: it.server.database))
                return AttributeRelease.claims(of: person, to: learn)
            }
            let before = try #require(try await accounts.find(it.ada, in: it.server.database))
            try await it.run(
                "roles grant",
                ["account": "ada", "role": "institution-administrator", "institution": "uni.example"])

            #expect(try await told()["roles"] == nil)
            let isUnchanged: Bool = try await it.server.database.value("select \(before.isUnchanged)")
            #expect(!isUnchanged)
            try await it.run("services update", ["service": "learn", "claim": ["roles", "institution"]])
            #expect(try await told()["roles"] == ["institution-administrator:uni.example"])
            #expect(try await told()["institution"] == "uni.example")
        }
    }
}
