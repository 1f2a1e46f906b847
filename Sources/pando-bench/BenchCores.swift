import ArgumentParser
import Base
import Foundation
import Server

/// `pando-bench cores`: whether the server alone does twice as much on two cores. What all requests pass, a lock or an
/// actor, would show here before anywhere else.
struct BenchCores: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "cores", abstract: "The server alone, on one core and on more.",
        discussion: "No load generator and no socket: requests are asked and answered by the same pinned threads."
    )

    @OptionGroup var options: BenchOptions
    @Option(help: ArgumentHelp("Seconds of each measure.", valueName: "n")) var seconds = 5
    @Option(help: ArgumentHelp("Cores, least first.", valueName: "n,n,…")) var cores = BenchSizes([1, 2])
    @Option(help: ArgumentHelp("Measure only rows whose name holds this; may be repeated.", valueName: "text"))
    var only: [String] = []

    func validate() throws {
        guard (1...60).contains(seconds) else { throw ValidationError("--seconds takes 1 to 60") }
        guard cores.values.allSatisfy({ (1...64).contains($0) }) else { throw ValidationError("--cores takes 1 to 64") }
    }

    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws {
        let composition = run.composition, counts = cores.values
        try await BenchListening.run([], of: composition, waking: false) { _ in
            report.rows = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await composition.store.leases.run(on: composition.database) }
                let rows = try await BenchPinned.run(counts.max() ?? 1, seconds: seconds) { pinned in
                    try await BenchCoresRows(
                        composition: composition, registry: run.registry, machine: run.machine, pinned: pinned,
                        counts: counts, only: only
                    ).rows()
                }
                group.cancelAll()
                return rows
            }
        }
        report.pictures = [BenchPlots(report: report).cores(counts)]
    }

    func notes(of run: BenchRun) -> [String] {
        let most = cores.values.max() ?? 1
        let there = BenchCoreSet.own.count
        let few: [String] =
            there < most
            ? [
                """
                THIS PROCESS HAS \(there) CORES AND \(most) WERE ASKED FOR: threads share them, and no ratio of more \
                than \(there) cores says anything.
                """
            ] : []
        let own: [String] = [
            """
            Each core has one thread, bound to it, with an event loop on which requests run one after the other, as \
            those of a connection do: routing, middleware, route and answer of the composition that is served. No HTTP \
            is read or written, and nobody else sends. Fewer cores than the most: each in turn, and the mean.
            """,
            """
            The ratio of a line "n cores by m" is to that of signatures, which share nothing: where two cores are \
            threads of one, or share a clock, not even these double.
            """,
            """
            \(BenchCoresRows.token): the client is authenticated as it is remembered, a token that was issued once is \
            signed anew, and the answer written. Left out is all that leads to its row: the statement, the queue of \
            those that are written together (a lock that is held for an append), and the one thread that talks to \
            PostgreSQL.
            """,
            """
            Waits: voluntary context switches of all threads of this process (getrusage(2)) by 1,000 requests. The \
            renewal of the lease, once a second, is among them; a lock that requests wait for would add to them.
            """,
            """
            Server µs: CPU of the pinned threads for one request; what two cores pass to and fro makes it longer. Of \
            the cores' time: how much of it they ran. Well below 1 without waits, other processes had these cores, and \
            rates say little: then "by m of CPU" tells what they would be to each other, had the threads run all the \
            time.
            """,
        ]
        return few + own
    }
}
