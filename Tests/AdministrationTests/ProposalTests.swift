import Accounts
import Administration
import Base
import Federation
import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite("Services that people propose themselves", .timeLimit(.minutes(30)))
struct ProposalTests {
    /// Proposed by carol, who has no role; control of it was shown.
    private func proven(
        _ it: Administered, _ base: String = "https://grades.uni.example"
    ) async throws -> String {
        let made = try await it.told(
            "services propose", ["base": .string(base), "claim": ["email", "name"], "why": ["to write", "to greet"]],
            as: it.nobody)
        let id = try #require(made["id"]?.string)
        _ = try await it.proposals.prove(id, report: ["findings": []], in: it.server.database)
        return id
    }

    @Test("whoever is logged in proposes and sees their own, and nobody else's")
    func own() async throws {
        try await Administered.with { (it: Administered) async throws in
            let made = try await it.told("services propose", ["base": "https://Grades.uni.example/"], as: it.nobody)
            let id = try #require(made["id"]?.string)

            #expect(made["base"] == "https://grades.uni.example" && made["name"] == "grades.uni.example")
            #expect(made["proposer"]?.string == it.carol.uuidString.lowercased())
            #expect(try await it.listed("services proposals list", "id", as: it.nobody) == [id])
            #expect(try await it.listed("services proposals list", "id", as: it.ofInstitution) == [])
            #expect(try await it.listed("services proposals list", "id", as: it.auditor) == [id])
            for words in ["show", "prove", "withdraw"] {
                for name in [id, "no-such-proposal"] {
                    let refusal = try await it.refusal(
                        "services proposals \(words)", ["proposal": .string(name)], as: it.ofInstitution)
                    #expect(refusal?.code == .notFound, "\(words)")
                }
            }
            for words in ["accept", "refuse"] {
                for authority in [it.nobody, it.ofInstitution, it.owner, it.auditor] {
                    let refusal = try await it.refusal(
                        "services proposals \(words)", ["proposal": .string(id)], as: authority)
                    #expect(refusal?.code == .forbidden, "\(words)")
                }
            }
            #expect(
                try await it.refusal(
                    "services propose", ["base": "https://x.example", "account": "bob"], as: it.ofInstitution)?.code
                    == .notFound)
        }
    }

    @Test("five are open at most, each service once, and what is withdrawn makes room")
    func limit() async throws {
        try await Administered.with { (it: Administered) async throws in
            func propose(_ base: String) async throws -> AdminFailure.Code? {
                try await it.refusal("services propose", ["base": .string(base)], as: it.nobody)?.code
            }
            for number in 1...5 { #expect(try await propose("https://s\(number).example") == nil) }

            #expect(try await propose("https://s6.example") == .conflict)
            let first = try #require(try await it.listed("services proposals list", "id", as: it.nobody).first)
            try await it.run("services proposals withdraw", ["proposal": .string(first)], as: it.nobody)
            #expect(try await propose("https://s6.example") == nil)
            #expect(
                try await it.refusal("services proposals withdraw", ["proposal": .string(first)], as: it.nobody)?.code
                    == .conflict)
        }
    }

    @Test(
        "what cannot be a service is not proposed",
        arguments: [
            ("http://grades.example", nil), ("https://grades.example?x", nil), ("grades", nil),
            ("https://u@grades.example", nil), ("https://grades.example", ["shoe_size"]), (Residents.quietBase, nil),
        ] as [(String, [String]?)])
    func unfit(base: String, claims: [String]?) async throws {
        try await Administered.with { (it: Administered) async throws in
            var arguments: JSONObject = ["base": .string(base)]
            if let claims {
                arguments["claim"] = JSONValue(strings: claims)
                arguments["why"] = JSONValue(strings: claims.map { _ in "because" })
            }

            let refusal = try await it.refusal("services propose", arguments, as: it.nobody)

            #expect(refusal?.code == (base == Residents.quietBase ? .conflict : .invalid))
            #expect(
                try await it.refusal(
                    "services propose", ["base": "https://a.example", "claim": ["email"]], as: it.nobody)?
                    .code == .usage)
        }
    }

    @Test(
        "a document that may not be asked proposes nothing, and why an address is not asked stays here",
        arguments: [
            ("https://10.0.0.1/rsd.json", "could not be read from here"),
            ("https://169.254.169.254/latest", "could not be read from here"),
            ("https://[fd00::1]/rsd", "could not be read from here"), ("http://grades.example/rsd", "must be https"),
            ("ftp://grades.example/rsd", "absolute http"), ("https://u@grades.example/rsd", "absolute http"),
        ])
    func unfitDocument(url: String, words: String) async throws {
        try await Administered.with { (it: Administered) async throws in
            for base in [nil, "https://grades.example"] as [String?] {
                var arguments: JSONObject = ["rsd": .string(url)]
                arguments["base"] = base.map(JSONValue.string)

                let refusal = try await it.refusal("services propose", arguments, as: it.nobody)

                #expect(refusal?.code == .invalid && refusal?.description.contains(words) == true)
            }
            #expect(try await it.refusal("services propose", [:], as: it.nobody)?.code == .usage)
            #expect(try await it.listed("services proposals list", "id") == [])
        }
    }

    @Test(
        "the base URL that a document means is its home page, at the document's own origin",
        arguments: [
            ("https://grades.example", "https://grades.example"),
            ("https://Grades.example/a/", "https://grades.example/a"),
            ("https://elsewhere.example", nil), ("http://grades.example", nil), ("https://grades.example:8443", nil),
            ("https://grades.example/?page=1", nil), ("https://u@grades.example", nil), ("grades", nil),
        ] as [(String, String?)])
    func home(link: String, base: String?) throws {
        let document = try #require(WebAddress("https://grades.example/rsd.json?v=1"))

        let read = Result { try ProposedDocument.home(link, at: document) }

        #expect((try? read.get())?.withoutQuery == base)
    }

    @Test("at the console a proposal leads on to its page, with the line that shows control")
    func form() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor.logIn("bob", server)

            let bad = try await visitor.submit(
                "/admin/services/propose", ["rsd": "https://10.0.0.1/rsd.json"], step: "save")
            let done = try await visitor.submit(
                "/admin/services/propose", ["base": "https://grades.example"], step: "save")
            let place = try #require(done[header: "Location"]?.dropFirst(ServerParts.root.count))
            let page = try await visitor.open(String(place))

            #expect(bad.status == 400 && bad.body.contains("could not be read from here"))
            #expect(done.status == 303 && place.hasPrefix("/admin/services/proposals/show?proposal="), "\(place)")
            #expect(page.status == 200 && page.body.contains("pando-federation="))
        }
    }

    @Test("what is accepted is an active service with the claims agreed to, and its proposer's")
    func accepted() async throws {
        try await Administered.with { (it: Administered) async throws in
            let id = try await proven(it), accept: JSONObject = ["proposal": .string(id), "claim": ["email"]]
            let other = try await it.told(
                "services propose", ["base": "https://grades.uni.example"], as: it.ofInstitution)
            var unasked = accept
            unasked["claim"] = ["groups"]

            #expect(
                try await it.refusal("services proposals accept", unasked, as: it.administrator)?.code == .invalid)
            let done = try await it.told("services proposals accept", accept, as: it.administrator)

            let name = try #require(done["service"]?.string)
            let service = try await it.told("services show", ["service": .string(name)])
            #expect(service["status"] == "active" && service["claims"] == ["email"])
            let grants = try await RoleStore(clock: it.server.time.clock).grants(of: it.carol, in: it.server.database)
            #expect(grants.map(\.claim) == ["service-owner:\(name)"])
            let lost = try await it.told("services proposals show", ["proposal": other["id"] ?? .null])
            #expect(lost["status"] == "refused")
            #expect(
                try await it.refusal("services proposals accept", accept, as: it.administrator)?.code == .conflict)
            #expect(
                try await it.told(
                    "services rotate-secret", ["service": .string(name)], as: it.authority(grants, of: it.carol))[
                        "client_secret"] != nil)
        }
    }

    @Test("nothing is accepted before control was shown, or for somebody who is suspended")
    func notYet() async throws {
        try await Administered.with { (it: Administered) async throws in
            let made = try await it.told("services propose", ["base": "https://a.example"], as: it.nobody)
            let early: JSONObject = ["proposal": made["id"] ?? .null]

            #expect(try await it.refusal("services proposals accept", early, as: it.administrator)?.code == .conflict)
            let id = try await proven(it)
            try await it.run("accounts suspend", ["account": "carol"])
            let late: JSONObject = ["proposal": .string(id)]
            #expect(try await it.refusal("services proposals accept", late, as: it.auditor)?.code == .forbidden)
            #expect(
                try await it.refusal("services proposals accept", late, as: .operatorOfDatabase)?.code == .conflict)
            #expect(try await it.listed("services list", "name").contains("grades.uni.example") == false)
        }
    }

    @Test("what nobody proves is forgotten after thirty days, what was decided after 400")
    func forgotten() async throws {
        try await Administered.with { (it: Administered) async throws in
            try await it.run("services propose", ["base": "https://a.example"], as: it.nobody)
            let id = try await proven(it)
            func left() async throws -> Int { try await it.listed("services proposals list", "id").count }

            it.server.time.advance(31 * 86_400)
            try await it.proposals.forget(in: it.server.database)
            #expect(try await left() == 1)
            try await it.run("services proposals refuse", ["proposal": .string(id)])
            it.server.time.advance(401 * 86_400)
            try await it.proposals.forget(in: it.server.database)
            #expect(try await left() == 0)
        }
    }
}

extension Administered {
    fileprivate var proposals: ServiceProposalStore {
        ServiceProposalStore(clock: server.time.clock, randomness: .system)
    }
}
