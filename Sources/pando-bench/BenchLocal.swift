import ArgumentParser
import Base
import Foundation
import HTTP
import Server

/// `pando-bench local`: what a service checks by itself, beside asking at the issuer.
struct BenchLocal: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "local", abstract: "Tokens checked in a service's own memory, and how soon that knows.",
        discussion: "Issuer, service and load generator share this process and its cores."
    )

    private static let asked = "introspection over HTTP, one client"

    @OptionGroup var options: BenchOptions
    @OptionGroup var load: BenchLoadOptions
    @Option(help: ArgumentHelp("Nodes that are remembered.", valueName: "n")) var nodes = 250_000
    @Option(help: ArgumentHelp("Revocations whose refusal is waited for.", valueName: "n")) var rounds = 200

    func validate() throws {
        guard (100_000...10_000_000).contains(nodes) else { throw ValidationError("--nodes takes 100000 to 10000000") }
        guard (1...100_000).contains(rounds) else { throw ValidationError("--rounds takes 1 to 100000") }
    }

    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws {
        report.rows += try await run.overHTTP(clients: load.clients) { server, _, rows in
            rows += try await served(server)
        }
        report.rows += try await BenchLocalChecks(nodes: nodes, seconds: load.seconds, peer: Self.asked).rows()
    }

    /// With what a served process runs beside its listener: its lease, and what wakes those who poll.
    private func served(_ server: BenchServer) async throws -> [BenchRow] {
        let composition = server.composition
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await composition.store.leases.run(on: composition.database) }
            for worker in composition.services.filter({ $0.name == "idp" }).flatMap(\.workers) {
                group.addTask { try await worker.run() }
            }
            defer { group.cancelAll() }
            BenchProgress.say("asking at the issuer")
            let token = try await server.send(
                server.byMachine("/token", [("grant_type", "client_credentials"), ("scope", "read")])
            ).text("access_token")
            let question = server.request(server.byMachine("/introspect", [("token", token)]))
            let lone = BenchServer(
                run: server.run, load: BenchLoad(client: server.load.client, clients: 1), address: server.address)
            let asked = try await lone.row(Self.asked, ceiling: nil, for: load.seconds, .cycling([question]))
            let many = try await server.row(
                "introspection over HTTP, \(load.clients) clients", ceiling: nil, for: load.seconds,
                .cycling([question]))
            BenchProgress.say("revoking \(rounds + 1) tokens, one after the other")
            return [asked, many] + (try await BenchLocalRounds(server: server, rounds: rounds).rows())
        }
    }

    func notes(of run: BenchRun) -> [String] {
        [
            """
            Checks run one after the other in one task, so on one core; introspection has server and client on all of \
            them. With the signature: LocalTokenVerifier.verify of one of 256 bearer tokens, whose signature is \
            checked each time; lineage alone: LocalTokenVerifier.check of a token that was verified before. Lineages \
            have nine nodes.
            """,
            """
            Memory is what malloc has handed out more (malloc_info) when the feed has read so many events than \
            before, with the room in which a dictionary grows. Each event is signed, and checked by the feed.
            """,
            """
            Revoke to refusal: Revocation.revoke in this process, and a RevocationFeed that waits at GET /events over \
            HTTP; the token is checked every 0.1 ms until it is refused. Value: the median of \(rounds); one before \
            them is not counted. A revocation is final when no process answers from memory what held before.
            """,
        ]
    }
}
