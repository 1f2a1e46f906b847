import ArgumentParser
import Base
import Foundation
import HTTP
import Server
import Simulators
import TokenTree

/// `pando-bench reach`: a version of an app is revoked, and the services hear of it.
struct BenchReach: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "reach", abstract: "From the revocation of an app's version to the last service that hears.",
        discussion: "The sender of events, and a receiver that verifies nothing, share this process and its cores."
    )

    private static let pace = Setting("events-pace", "")

    @OptionGroup var options: BenchOptions
    @Option(help: ArgumentHelp("Instances of the version, with an assertion each.", valueName: "n"))
    var instances = 100_000
    @Option(help: ArgumentHelp("Services that are pushed to.", valueName: "n")) var services = 50
    @Option(help: ArgumentHelp("Revocations that are counted.", valueName: "n")) var rounds = 10
    @Option(help: ArgumentHelp("Services that are called (RFC 7009).", valueName: "n")) var called = 2
    @Option(help: ArgumentHelp("Calls to each of them.", valueName: "n")) var calls = 500
    @Option(help: ArgumentHelp("Most calls a second and service (events-pace).", valueName: "n")) var pace = 10

    func validate() throws {
        guard (1...1_000).contains(services), (services...10_000_000).contains(instances) else {
            throw ValidationError("--services takes 1 to 1000, --instances as many at least, and 10000000 at most")
        }
        guard (1...1_000).contains(rounds) else { throw ValidationError("--rounds takes 1 to 1000") }
        guard (1...100).contains(called) else { throw ValidationError("--called takes 1 to 100") }
        guard (1...1_000).contains(pace), (pace + 1...100_000).contains(calls) else {
            throw ValidationError("--pace takes 1 to 1000, --calls more than that, and 100000 at most")
        }
    }

    func offering() throws -> [Setting: String] { [Self.pace: "\(pace)"] }

    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws {
        let composition = run.composition
        try await BenchTokens.fillRevocations(in: run.database)
        try await BenchListening.run([], of: composition, waking: false) { _ in
            report.rows = try await BenchReceiver.run { receiver in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await composition.eventSender.run() }
                    defer { group.cancelAll() }
                    return try await rows(composition, receiver)
                }
            }
        }
    }

    private func rows(_ composition: Composition, _ receiver: BenchReceiver) async throws -> [BenchRow] {
        let filling = BenchReachRows(composition: composition)
        let versions = ["1", "2"].map { "\(DemoFederation.app).\($0)" }
        BenchProgress.say("\(instances) instances with assertions at \(services) services: filling")
        let pushed = try await filling.services(services, "push", hearing: .push, at: receiver)
        let leaf = try await filling.fill(instances, of: versions[0], at: pushed, isCalledFor: false)
        BenchProgress.say("revoking above them, \(rounds + 1) times")
        let pushes = try await BenchReachPushes(
            composition: composition, receiver: receiver, version: Ancestor(.version, versions[0]),
            instances: instances, services: pushed, leaf: leaf
        ).rows(rounds)
        BenchProgress.say("\(called) services that are called \(calls) times each: some \(calls / pace + 5) s")
        let revoked = try await filling.services(called, "call", hearing: .revoke, at: receiver)
        _ = try await filling.fill(calls * called, of: versions[1], at: revoked, isCalledFor: true)
        let heard = try await BenchReachCalls(
            composition: composition, receiver: receiver, version: Ancestor(.version, versions[1]),
            services: revoked, calls: calls, pace: pace
        ).rows()
        return pushes + heard
    }

    func notes(of run: BenchRun) -> [String] {
        [
            """
            Instances are rows as issuing makes them: ancestors, instance, families of its token and of a login, an \
            assertion, and who must be told. The revocation is a call in this process, as that of `pando admin tokens \
            revoke version:…`; times count from its beginning to when the receiver in this process has the whole \
            request. Value: the median of \(rounds) revocations, each undone by hand; one before them is not counted.
            """,
            """
            A revocation that does not make exactly one row of outbox for each service, a service that is told twice, \
            one assertion without its call or with two, and a rate above the pace end the bench. Calls come as many \
            at once as the pace allows in a second, so that a second which begins in the middle of them may see \
            twice as many. The rate is that of the fastest service, without the first of these bursts.
            """,
        ]
    }
}
