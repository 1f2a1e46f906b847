import Accounts
import Administration
import Base
import Database
import Foundation
import TestSupport
import Testing

@Suite("What a file of people does not do for whoever sends it")
struct ImportAdmissionTests {
    private func file(_ lines: String) -> JSONValue { .string("username,name,status\n" + lines) }

    private func status(_ username: String, _ it: Administered) async throws -> [String] {
        try await it.server.database.query(
            "select status, coalesce(name, '') as name from account where username = \(username)"
        ).flatMap { row in
            let status: String = try row("status"), name: String = try row("name")
            return [status, name]
        }
    }

    private func counts(_ result: JSONObject) -> [Int?] {
        ["new", "changed", "same", "refused", "suspended"].map { result[$0]?.integer }
    }

    @Test("whoever administers more than the institution is not changed by its file, nor suspended for want of a line")
    func administrators() async throws {
        try await Administered.with { it in
            try await it.run("roles grant", ["account": "ada", "role": "administrator"])
            let arguments: JSONObject = ["institution": "uni.example", "update": true, "suspend_missing": true]
            func send(_ lines: String, as authority: AdminAuthority) async throws -> JSONObject {
                var all = arguments
                all["file"] = file(lines)
                return try await it.told("accounts import", all, as: authority)
            }
            let before = try await status("ada", it)

            #expect(counts(try await send("ada,Else,suspended\n", as: it.ofInstitution)) == [0, 0, 0, 1, 0])
            let missing = try await send("dora,Dora,\n", as: it.ofInstitution)
            #expect(counts(missing) == [1, 0, 0, 1, 0])
            #expect(missing["refusals"]?.array?.first?["reason"]?.string?.contains("administers more") == true)
            #expect(try await status("ada", it) == before)
            // The federation does.
            #expect(counts(try await send("dora,Dora,\n", as: it.administrator)) == [0, 0, 1, 0, 1])
            #expect(try await status("ada", it).first == "suspended")
        }
    }

    @Test("a line that suspends asks for a fresh login, as the command does, and is undone without one")
    func freshLogin() async throws {
        try await Administered.with { it in
            let old = it.ofInstitutions([Administered.uni], age: 86_400)
            func arguments(_ lines: String) -> JSONObject {
                ["institution": "uni.example", "update": true, "file": file(lines)]
            }

            #expect(try await it.refusal("accounts import", arguments("dora,Dora,\n"), as: old) == nil)
            let refusal = try await it.refusal("accounts import", arguments("dora,Else,suspended\n"), as: old)
            #expect(refusal?.code == .stepUp)
            #expect(try await status("dora", it) == ["active", "Dora"])
            let fresh = it.ofInstitution
            #expect(try await it.refusal("accounts import", arguments("dora,Else,suspended\n"), as: fresh) == nil)
            #expect(try await status("dora", it) == ["suspended", "Else"])
        }
    }

    @Test("where another's person belongs is told to the federation alone")
    func others() async throws {
        try await Administered.with { it in
            func reason(as authority: AdminAuthority) async throws -> String {
                let result = try await it.told(
                    "accounts import", ["institution": "uni.example", "file": file("bob,,\n")], as: authority)
                return result["refusals"]?.array?.first?["reason"]?.string ?? ""
            }

            #expect(try await reason(as: it.administrator) == "is of school.example here")
            let told = try await reason(as: it.ofInstitution)
            #expect(!told.isEmpty && !told.contains("school"))
        }
    }

    @Test("who is suspended while a file is read stays so, where the file says nothing of it")
    func meanwhile() async throws {
        try await Administered.with { it in
            let database = it.server.database
            let importing = try await database.transaction { transaction in
                try await transaction.execute("update account set status = 'suspended' where username = 'ada'")
                let task = Task {
                    try await it.told(
                        "accounts import",
                        [
                            "institution": "uni.example", "update": true,
                            "file": .string("username,name\nada,Ada the Second\n"),
                        ], as: it.ofInstitution)
                }
                let holder: Int = try await transaction.value("select pg_backend_pid()")
                for _ in 0..<6_000 {
                    let isWaiting: Bool = try await database.value(
                        """
                        select exists (select from pg_locks l
                            where not l.granted and \(holder) = any (pg_blocking_pids(l.pid)))
                        """)
                    if isWaiting { return task }
                    try await Task.sleep(for: .milliseconds(5))
                }
                Issue.record("nobody waited")
                return task
            }

            #expect(counts(try await importing.value) == [0, 1, 0, 0, 0])
            #expect(try await status("ada", it) == ["suspended", "Ada the Second"])
        }
    }
}
