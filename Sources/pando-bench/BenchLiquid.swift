import ArgumentParser
import AsyncHTTPClient
import Base
import Database
import Foundation
import HTTP
import Liquid
import Server

/// `pando-bench liquid`: memory of sockets that are open and quiet, and messages from one side of a link to the other,
/// beside a bare echo of the same run.
struct BenchLiquid: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "liquid", abstract: "Idle sockets of signalling, and relayed messages.",
        discussion: """
            The server runs in this process; the sockets' other ends in another, and the bare echo in a third. A \
            socket takes a file descriptor at each end \
            (`ulimit -n`).
            """
    )

    @OptionGroup var options: BenchOptions
    @Option(help: ArgumentHelp("Seconds of each measure of messages.", valueName: "n")) var seconds = 5
    @Option(help: ArgumentHelp("Sockets to hold.", valueName: "n")) var sockets = 10_000
    @Option(help: ArgumentHelp("Pages with a wallet each, one message under way in each pair.", valueName: "n"))
    var pairs = 1_000

    private static let idle = "memory of an idle socket of signalling",
        bareIdle = "memory of an idle connection to a bare NIO echo"
    private static let relayed = "message relayed from one side to the other",
        echoed = "message returned by a bare NIO echo"
    /// Descriptors that are for everything else: database, listeners, pipes, files.
    private static let reserve = 200
    /// More than one interval of pings (protocols/liquid.md, 4): whoever is still there has answered one.
    private static let quiet = Duration.seconds(30)

    func validate() throws {
        guard (1...30).contains(seconds) else { throw ValidationError("--seconds takes 1 to 30") }
        guard (100...20_000).contains(sockets) else { throw ValidationError("--sockets takes 100 to 20000") }
        guard (10...2_000).contains(pairs) else { throw ValidationError("--pairs takes 10 to 2000") }
    }

    /// Wallets come from addresses of their own, which this machine has not: more of one address would be made to wait.
    func offering() -> [Setting: String] { [.trustedProxy: "true"] }

    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws {
        let composition = run.composition
        guard composition.product(LiquidService.self) != nil else { throw BenchFailure.noLiquid }
        // As it was inherited: what may be opened here may be opened by the two other processes.
        let descriptors = sysconf(Int32(_SC_OPEN_MAX)), wanted = min(sockets, descriptors - BenchLiquid.reserve),
            links = min(pairs, wanted / 2)
        guard links > 0 else { throw BenchFailure.noDescriptors(descriptors) }
        let found = try await BenchSocketsProcess.run(isEcho: false) { client in
            try await BenchSocketsProcess.run(isEcho: true) { echo -> [BenchRow] in
                var rows: [BenchRow] = []
                try await BenchListening.run([.table(composition.routes())], of: composition) { addresses in
                    guard let address = addresses.first, let port = WebAddress(address)?.port else {
                        throw BenchFailure.notServing
                    }
                    BenchProgress.say("holding \(wanted) connections to a bare echo")
                    rows += try await idleRows(
                        BenchLiquid.bareIdle, held: "held: connections to a bare NIO echo", wanted, client,
                        "echo \(echo.port)", ceiling: nil
                    ) {
                        try await echo.ask("memory").first ?? 0
                    }
                    BenchProgress.say("holding \(wanted) sockets")
                    rows += try await idleRows(
                        BenchLiquid.idle, held: "held: sockets of signalling", wanted, client, "socket \(port)",
                        ceiling: BenchLiquid.bareIdle
                    ) {
                        BenchUsage.residentMemory ?? 0
                    }
                    BenchProgress.say("\(links) messages under way through a bare echo")
                    let bare = try await client.ask("returned \(echo.port) \(links) \(seconds)")
                    rows.append(try row(BenchLiquid.echoed, bare, ceiling: nil, cost: nil))
                    BenchProgress.say("registering \(links) wallets, and linking a page with each")
                    let list = try await BenchPairs.list(of: links, at: address, in: run.folder)
                    let before = try await BenchCounters(run.registry, run.database)
                    let linked = try await client.ask("relayed \(port) \(seconds) \(list.path)")
                    let after = try await BenchCounters(run.registry, run.database)
                    rows.append(
                        try row(
                            BenchLiquid.relayed, linked, ceiling: BenchLiquid.echoed,
                            cost: after.cost(since: before, requests: Int(linked.last ?? 1))))
                }
                return rows
            }
        }
        report.rows =
            [BenchRow(name: "file descriptors of each process", value: Double(descriptors), unit: .count)] + found
    }

    /// Opens that many, waits, counts those that are still there, and says what one of them takes. `memory` is that of
    /// the server's process, in bytes.
    private func idleRows(
        _ name: String, held: String, _ wanted: Int, _ client: BenchSocketsProcess, _ place: String, ceiling: String?,
        _ memory: () async throws -> Double
    ) async throws -> [BenchRow] {
        // Some first: what the first of all make, the others find.
        _ = try await client.ask("hold \(place) \(min(wanted, 200))")
        _ = try await client.ask("drop")
        try await Task.sleep(for: .seconds(2))
        let before = try await memory(), opened = try await client.ask("hold \(place) \(wanted)").first ?? 0
        try await Task.sleep(for: BenchLiquid.quiet)
        let after = try await memory(), alive = try await client.ask("alive").first ?? 0
        guard alive > 0, alive == opened else { throw BenchFailure.lostSockets(opened: Int(opened), alive: Int(alive)) }
        _ = try await client.ask("drop")
        try await Task.sleep(for: .seconds(2))
        return [
            BenchRow(name: held, value: alive, unit: .count),
            BenchRow(name: name, value: (after - before) / alive, unit: .bytes, ceiling: ceiling),
        ]
    }

    /// From messages, milliseconds, and those that ended unasked.
    private func row(_ name: String, _ answer: [Double], ceiling: String?, cost: BenchCost?) throws -> BenchRow {
        guard answer.count == 4, answer[1] > 0, answer[2] == 0 else {
            throw BenchFailure.lostSockets(opened: links(answer), alive: 0)
        }
        return BenchRow(
            name: name, value: answer[0] / answer[1] * 1_000, unit: .perSecond, ceiling: ceiling, cost: cost)
    }

    private func links(_ answer: [Double]) -> Int { answer.count > 2 ? Int(answer[2]) : 0 }

    func notes(of run: BenchRun) -> [String] {
        [
            """
            Server, PostgreSQL and the process at the sockets' other ends share this machine's cores; WebSockets \
            over 127.0.0.0/8, no TLS, no compression. \
            The echo is a listener of SwiftNIO in a process of its own that writes back whatever it reads.
            """,
            """
            A socket is a WebSocket with the handshakes of Engine.IO and Socket.IO behind it. Memory is what the \
            server's process has more (resident, /proc) with all of \
            them open and quiet for \(BenchLiquid.quiet.components.seconds) s, in which each has answered a ping, \
            than with none, by their number. Held are those that \
            were open at the end of that time: fewer than asked for where file descriptors do not suffice (`ulimit
                -n`; deploy/bench.sh raises it to what the system allows).
            """,
            """
            Messages: a page and a wallet, registered over HTTP and linked, send each other a candidate in turn, one \
            under way in each pair, as many at the echo. \
            A message is one frame in and one out. A measure is \(seconds) s after 1 s of warm-up.
            """,
            """
            Ratio: the value by that of the named line. Costs are of the messages of the warm-up too, and of linking \
            the pairs; bytes of WAL are the whole server's.
            """,
        ]
    }
}
