import Foundation
import Testing

@testable import Database

@Suite("Connection strings of several hosts", .timeLimit(.minutes(10)))
struct FailoverTests {
    @Test(
        "a host that accepts and says nothing, or swallows packets, is passed over for the next one",
        arguments: [false, true])
    func silent(swallowsPackets: Bool) async throws {
        let host = try SilentHost(swallowsPackets: swallowsPackets)
        defer { host.close() }
        let real = try TestDatabase.conninfo().split(separator: " ").map {
            $0.split(separator: "=", maxSplits: 1).map(String.init)
        }
        let given = Dictionary(real.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
        let server = try #require(given["host"]), user = try #require(given["user"]),
            name = try #require(given["dbname"])
        let conninfo =
            "host=127.0.0.1,\(server) port=\(host.port),\(given["port"] ?? "5432") user=\(user) dbname=\(name)"
        // A second for each host; the caller waits for both.
        let database = Database(
            .init(connectionString: conninfo, connections: 2, connectTimeout: 2.5, waitLimit: 30),
            logger: TestDatabase.quiet)

        #expect(try await database.value("select 1") == 1)
        var heard = database.listen(UUID().uuidString).makeAsyncIterator()
        #expect(await heard.next() == .listening)
        // What is known now, the next connections make use of.
        #expect(database.conninfo?.attempts().first?.place.contains(server) == true)
        await database.close()
    }

    private func attempts(_ conninfo: String) throws -> [Conninfo.Attempt] {
        try Conninfo(.init(connectionString: conninfo, connectTimeout: 5)).attempts()
    }

    @Test(
        "hosts, addresses and ports go together one by one; one port is good for all; URIs as well",
        arguments: [
            ("host=/a,/b port=1,2", ["/a 1", "/b 2"]), ("host=/a,/b,/c port=7", ["/a 7", "/b 7", "/c 7"]),
            ("host=/a,/b", ["/a", "/b"]),
            ("hostaddr=127.0.0.1,127.0.0.2 host=x,y port=1,2", ["x 127.0.0.1 1", "y 127.0.0.2 2"]),
            ("postgresql://127.0.0.1:1,127.0.0.2:2/db", ["127.0.0.1 1", "127.0.0.2 2"]), ("host=/a port=5", ["/a 5"]),
        ])
    func lists(conninfo: String, expected: [String]) throws {
        let found = try attempts(conninfo).map { attempt in
            // A default port stands in none of these.
            ["host", "hostaddr", "port"].compactMap { attempt.parameters[$0] }.filter { $0 != "5432" }.joined(
                separator: " ")
        }

        #expect(found == expected)
    }

    @Test("each of several hosts has two fifths of the time, a lone one all of it; what the operator says wins")
    func limits() throws {
        #expect(try attempts("host=/a,/b").map(\.limit) == [2, 2])
        #expect(try attempts("host=/a").map(\.limit) == [5])
        #expect(try attempts("host=/a,/b connect_timeout=7").map(\.limit) == [7, 7])
        #expect(
            try attempts("host=/a connect_timeout=1").map(\.limit) == [2], "libpq, 34.1.2: less than two seconds is two"
        )
    }

    @Test("of several hosts the one is sought that can be written to, unless the operator says otherwise")
    func sessionAttributes() throws {
        #expect(
            try attempts("host=/a,/b").map { $0.parameters["target_session_attrs"] } == ["read-write", "read-write"])
        #expect(
            try attempts("host=/a,/b target_session_attrs=any").map { $0.parameters["target_session_attrs"] } == [
                "any", "any",
            ])
        #expect(try attempts("host=/a").map { $0.parameters["target_session_attrs"] } == [nil])
        #expect(
            try attempts("host=/a,/b target_session_attrs=prefer-standby").map { $0.parameters["target_session_attrs"] }
                == ["standby", "standby", "any", "any"])
    }

    @Test("a host that was silent comes last, until it has answered")
    func grudge() throws {
        let conninfo = try Conninfo(.init(connectionString: "host=/a,/b,/c"))
        func order() -> [String?] { conninfo.attempts().map { $0.parameters["host"] } }
        let first = try #require(conninfo.attempts().first)

        conninfo.memory.noticeSilence(of: first.place)
        #expect(order() == ["/b", "/c", "/a"])
        conninfo.memory.noticeAnswer(of: first.place)
        #expect(order() == ["/a", "/b", "/c"])
    }

    @Test("lists that do not match are left to libpq, which says so")
    func mismatch() async throws {
        let database = Database(
            .init(connectionString: "host=/a,/b,/c port=1,2 user=x", waitLimit: 0.5), logger: TestDatabase.quiet)
        let error = await failure { try await database.query("select 1") }

        guard case .unavailable(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("could not match 2 port numbers to 3 hosts"))
        await database.close()
    }

    @Test("the settings of the session end without a blank, and the operator's come last")
    func options() throws {
        let own = try #require(attempts("host=/a").first?.parameters["options"])
        let both = try #require(attempts("host=/a options='-c search_path=x'").first?.parameters["options"])

        #expect(own.hasPrefix("-c statement_timeout=4000 ") && own.last != " ")
        #expect(both == own + " -c search_path=x")
    }
}

/// A port at which nobody ever answers: the kernel accepts for a process that does not; or, with its queue full, does
/// not even do that, as behind a cable that was pulled.
final class SilentHost {
    struct Failed: Error {}

    let port: Int
    private var descriptors: [Int32] = []

    init(swallowsPackets: Bool) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let done = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, swallowsPackets ? 0 : 100) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard done else { throw Failed() }
        port = Int(UInt16(bigEndian: address.sin_port))
        descriptors = [listener]
        for _ in 0..<(swallowsPackets ? 8 : 0) {
            let one = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(one, $0, length) }
            }
            descriptors.append(one)
        }
    }

    func close() { for one in descriptors { Foundation.close(one) } }
}
