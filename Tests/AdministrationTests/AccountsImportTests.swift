import Accounts
import Administration
import ArgumentParser
import Base
import Commands
import Database
import Foundation
import TestSupport
import Testing

@Suite("People by CSV")
struct AccountsImportTests {
    private static let header = "username,email,given_name,family_name,external_id,eduperson_affiliation\n"

    private func session(_ server: TestServer, _ authority: AdminAuthority = .operatorOfDatabase) -> AdminSession {
        server.parts.composition.administrationSession(by: .init(name: "test"), who: authority)
    }

    /// As the administration API does it: the file is the argument.
    private func run(
        _ server: TestServer, _ file: String, _ more: JSONObject = ["institution": "unibe"]
    ) async throws -> JSONObject {
        try await DirectoryFixture.add(institution: "unibe", to: server)
        let entry = try #require(AdminCatalog.ofServer.entry(["accounts", "import"]))
        var arguments: JSONObject = ["file": .string(file)]
        for (name, value) in more { arguments[name] = value }
        let result = try await AdminCatalog.ofServer.run(entry, arguments, in: session(server))
        guard case .object(let object) = result else { return [:] }
        return object
    }

    private func counts(_ result: JSONObject) -> [Int?] {
        ["new", "changed", "same", "refused", "suspended"].map { result[$0]?.integer }
    }

    private func people(_ server: TestServer) async throws -> [String] {
        try await server.database.query(
            "select username, status from account where institution = 'unibe' order by username"
        ).map { row in
            let username: String = try row("username"), status: String = try row("status")
            return "\(username) \(status)"
        }
    }

    @Test("new ones are made, those who are as the file has them are passed over, others wait for --update")
    func lines() async throws {
        try await TestServer.with { server in
            let file =
                Self.header + "anna,anna@unibe.ch,Anna,Muster,17,student;member\r\n"
                + "beat,,\"Beat, junior\",\"O\"\"Neill\",18,\n"
            let other = file.replacing("anna@unibe.ch", with: "a.muster@unibe.ch").replacing("beat,", with: "beatus,")

            #expect(counts(try await run(server, file)) == [2, 0, 0, 0, 0])
            #expect(counts(try await run(server, file)) == [0, 0, 2, 0, 0])
            #expect(counts(try await run(server, other)) == [0, 0, 0, 2, 0])
            let update: JSONObject = ["institution": "unibe", "update": true]
            var dry = update
            dry["dry_run"] = true
            #expect(counts(try await run(server, other, dry)) == [0, 2, 0, 0, 0])
            #expect(counts(try await run(server, other)) == [0, 0, 0, 2, 0], "a dry run undid all")
            #expect(counts(try await run(server, other, update)) == [0, 2, 0, 0, 0])

            let row = try #require(
                try await server.database.query(
                    "select email, attributes from account where username = 'anna'"
                ).first)
            let email: String = try row("email"), attributes: JSONValue = try row("attributes")
            #expect(email == "a.muster@unibe.ch" && attributes["eduperson_affiliation"] == ["student", "member"])
            #expect(try await people(server) == ["anna active", "beatus active"])
            let lines: [String] = try await server.database.query(
                "select action from audit where actor = 'test' order by id"
            ).map { try $0("action") }
            #expect(lines == ["accounts.create", "accounts.create", "accounts.update", "accounts.update"])
        }
    }

    @Test("each line that is refused says why, and the rest is done")
    func refusals() async throws {
        try await TestServer.with { server in
            let result = try await run(
                server,
                Self.header + "anna,nowhere,,,1,\nbeat,,,,2,king\n,,,,3,\nx\"y,,,,4,\nc d,,,,5,\nshort,line\n"
                    + "ada,,,,6,\ngood,,,,7,\ngood,,,,8,\nother,,,,7,\n")

            #expect(counts(result) == [1, 0, 0, 9, 0])
            let told = (result["refusals"]?.array ?? []).reduce(into: [Int: String]()) { told, refusal in
                told[refusal["line"]?.integer ?? 0] = refusal["reason"]?.string
            }
            let expected = [
                2: "email: ", 3: "eduperson_affiliation: ", 4: "username is missing", 5: "a quote stands",
                6: "username: ", 7: "it has 2 fields", 8: "is of no institution here", 10: "stands in the file twice",
                11: "stands in the file twice",
            ]
            #expect(told.keys.sorted() == expected.keys.sorted())
            for (line, words) in expected { #expect(told[line]?.hasPrefix(words) == true, "\(line): \(words)") }
            #expect(try await people(server) == ["good active"])
        }
    }

    @Test("a username that the directory knows as somebody else's is not given on")
    func recycled() async throws {
        try await TestServer.with { server in
            _ = try await run(server, Self.header + "anna,,,,17,\n")
            let result = try await run(
                server, Self.header + "anna,new@unibe.ch,,,99,\n", ["institution": "unibe", "update": true])
            #expect(counts(result) == [0, 0, 0, 1, 0])
            #expect(result["refusals"]?.array?.first?["reason"]?.string?.contains("17") == true)
        }
    }

    @Test("two whom a directory calls by names that Swift takes for one are two, in a file and at the database")
    func canonical() async throws {
        try await TestServer.with { server in
            let composed = "jos\u{E9}", decomposed = "jose\u{301}"
            let both = Self.header + "anna,,,,\(composed),\nbeat,,,,\(decomposed),\n"

            #expect(counts(try await run(server, both)) == [2, 0, 0, 0, 0])
            // The one is found by what she is called, the other by his username.
            let change = Self.header + ",anna@unibe.ch,,,\(composed),\nbeat,,,,,\n"
            let update: JSONObject = ["institution": "unibe", "update": true]
            _ = try await run(server, change, update)

            let read: [String] = try await server.database.query(
                "select username from account where institution = 'unibe' and email is not null order by username"
            ).map { try $0("username") }
            #expect(read == ["anna"])
        }
    }

    @Test("who is not in the file is suspended where that is asked for, and nobody where a line is not understood")
    func missing() async throws {
        try await TestServer.with { server in
            _ = try await run(server, Self.header + "anna,,,,1,\nbeat,,,,2,\ncarla,,,,3,\n")
            let options: JSONObject = ["institution": "unibe", "suspend_missing": true]

            await #expect(throws: AdminFailure.self) {
                _ = try await run(server, Self.header + "anna,,,,1,\nbe\"at,,,,2,\n", options)
            }
            #expect(try await people(server) == ["anna active", "beat active", "carla active"])
            let result = try await run(server, Self.header + "anna,,,,1,\nbeat,,X,,2,\n", options)
            #expect(counts(result) == [0, 0, 1, 1, 1], "who was refused is in the file all the same")
            #expect(try await people(server) == ["anna active", "beat active", "carla suspended"])
        }
    }

    @Test("columns by other names, what has no meaning, and what stands between")
    func columns() async throws {
        try await TestServer.with { server in
            let file = "Login;Given name;Shoe size\nanna;Anna;38\n"
            let result = try await run(
                server, file, ["institution": "unibe", "separator": "semicolon", "map": ["Login=username"]])
            #expect(counts(result) == [1, 0, 0, 0, 0] && result["ignored_columns"] == ["Shoe size"])

            for (file, options) in [
                ("a,b\n1,2\n", [:]), ("", [:]), ("username,Username\nx,y\n", [:]),
                ("username\nx\n", ["map": ["b=email"]]),
                ("username,shoe\nx,y\n", ["strict": true]), ("username,email\nx,y\n", ["strict": true]),
                ("username\nx\n", ["map": ["username=shoe"]]), ("username\nx\n", ["institution": "nowhere"]),
                ("username\nx\n", ["separator": "dot"]), ("username\nx\n", ["suspend_missing": true]),
                ("username\nx\n", ["report": "/tmp/never"]),
            ] as [(String, JSONObject)] {
                await #expect(throws: AdminFailure.self, "\(file) \(options)") {
                    _ = try await run(server, file, options)
                }
            }
        }
    }

    @Test("an invitation for each new one, with a link that only this answer has")
    func invitations() async throws {
        try await TestServer.with { server in
            let options: JSONObject = ["institution": "unibe", "invite": true]
            let result = try await run(server, Self.header + "anna,anna@unibe.ch,,,1,\n", options)
            let link = try #require(result["links"]?.array?.first?["link"]?.string)
            #expect(link.hasPrefix(ServerParts.root + "/recover/password?link="))
            #expect(try await run(server, Self.header + "anna,anna@unibe.ch,,,1,\n", options)["links"] == nil)
        }
    }

    @Test("two thousand people on the command line, five hundred in a transaction; a second run finds all the same")
    func many() async throws {
        try await TestServer.with { server in
            try await DirectoryFixture.add(institution: "unibe", to: server)
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("people.csv"), report = folder.appendingPathComponent("report")
            let lines = (0..<2_000).map { "person\($0),person\($0)@unibe.ch,P,\($0),\($0),student\n" }
            try Data((Self.header + lines.joined()).utf8).write(to: file)
            let session = session(server), runner = AdminRunner { _, _, body in try await body(session) }
            func run(_ more: String...) async throws {
                let command = try Admin.parseAsRoot(
                    ["accounts", "import", file.path, "--institution", "unibe", "--yes"] + more)
                try await (try #require(command as? any AdminCommand)).run(on: runner)
            }
            func people() async throws -> Int {
                try await server.database.value("select count(*)::int from account where institution = 'unibe'")
            }

            try await run("--dry-run")
            #expect(try await people() == 0)
            try await run("--report", report.path)
            #expect(try await people() == 2_000)
            let told = try String(contentsOf: report, encoding: .utf8).split(separator: "\n")
            #expect(told.count == 2_000 && told.allSatisfy { $0.contains("\"outcome\":\"new\"") })
            let mode = try FileManager.default.attributesOfItem(atPath: report.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            await #expect(throws: AdminFailure.self, "no file is written over") {
                try await run("--report", report.path)
            }
            try await run()
            #expect(try await people() == 2_000)
            // One of them is otherwise now: partial.
            _ = try await server.database.execute(
                "update account set name = 'X', family_name = 'Y' where username = 'person7'")
            let left = await #expect(throws: ExitCode.self) { try await run() }
            #expect(left?.rawValue == 7)
        }
    }

    @Test("an export is read again, and whoever sees an institution sees no other")
    func export() async throws {
        try await TestServer.with { server in
            _ = try await run(server, Self.header + "anna,anna@unibe.ch,=1+1,Muster,17,student\n")
            let entry = try #require(AdminCatalog.ofServer.entry(["accounts", "export"]))
            guard
                case .list(let items, let next) = try await AdminCatalog.ofServer.run(
                    entry, ["institution": "unibe", "limit": 1], in: session(server))
            else { return #expect(Bool(false), "an export is a list") }

            #expect(items.first?["external_id"] == "17" && items.first?["institution"] == "unibe" && next == nil)
            #expect(items.first?["given_name"] == "=1+1", "JSON is not for spreadsheets")
            for options: JSONObject in [["format": "xml"], ["limit": 0], ["after": "x"]] {
                await #expect(throws: AdminFailure.self) {
                    _ = try await AdminCatalog.ofServer.run(entry, options, in: session(server))
                }
            }
            let grant = try #require(
                RoleGrant(account: UUID(), role: .institutionAdministrator, institution: "uzh"))
            await #expect(throws: AdminFailure.self) {
                _ = try await AdminCatalog.ofServer.run(
                    entry, ["institution": "unibe"],
                    in: session(server, AdminAuthority([grant], of: grant.account, authenticatedAt: nil)))
            }
        }
    }
}
