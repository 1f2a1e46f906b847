import Base
import Foundation
import TestSupport
import Testing

@testable import Administration

@Suite("What somebody meant", .server)
struct KnownNamesTests {
    private var names: KnownNames { get throws { KnownNames(in: try TestServer.ofSuite.database) } }

    @Test(
        "names that begin so, in any case",
        arguments: [
            (KnownNames.Kind.account, "CA", ["carol"]), (.service, "le", ["learn"]), (.app, "ch.", [Residents.app]),
            (.version, "ch.example.wallet.2", ["ch.example.wallet.2"]), (.account, "%", []), (.institution, "", []),
        ])
    func beginning(kind: KnownNames.Kind, prefix: String, expected: [String]) async throws {
        #expect(try await names.beginning(with: prefix, kind) == expected)
    }

    @Test("every kind has names to ask for", arguments: KnownNames.Kind.allCases)
    func kinds(kind: KnownNames.Kind) async throws {
        _ = try await names.beginning(with: "", kind)
        #expect(try await names.meant(by: String(repeating: "x", count: 200), kind) == nil)
    }

    @Test("a name that is near is asked about, with what the hint said before")
    func near() async throws {
        let database = try TestServer.ofSuite.database

        let plain = await AdminFailure.noAccount("caro").asking(in: database)
        let hinted = await AdminFailure.missing(.app, "ch.example.walet", hint: "look").asking(in: database)

        #expect(plain.code == .notFound && plain.hint == "did you mean carol?")
        #expect(hinted.hint == "did you mean ch.example.wallet? look")
    }

    @Test("what is far from all, or fails otherwise, stays as it was")
    func far() async throws {
        let database = try TestServer.ofSuite.database

        #expect(await AdminFailure.noAccount("somebody-else").asking(in: database).hint == nil)
        #expect(await AdminFailure(.conflict, "no", hint: "h").asking(in: database).hint == "h")
    }

    @Test("people read usernames where programs read UUIDs")
    func people() async throws {
        let database = try TestServer.ofSuite.database
        let id: UUID = try await database.value("select id from account where username = 'ada'")
        let items: [JSONValue] = [
            ["account": .string(id.uuidString.lowercased())], ["account": .string(UUID().uuidString.lowercased())],
            ["account": .null],
        ]

        guard case .list(let named, _) = try await PeopleNames.replaced(in: .list(items, next: nil), by: database)
        else { throw AdminFailure(.failed, "no list") }

        #expect(named[0]["account"] == "ada")
        #expect(named[1] == items[1] && named[2] == items[2])
    }
}
