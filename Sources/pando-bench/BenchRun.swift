import ArgumentParser
import Base
import Database
import Foundation
import HTTP
import Registration
import Server
import Simulators

/// A command that measures: what it is set to, how its report is to be read, and what it adds to it.
protocol BenchCommand: AsyncParsableCommand {
    var options: BenchOptions { get }
    /// Settings for this bench, unless somebody set them.
    func offering() throws -> [Setting: String]
    func notes(of run: BenchRun) -> [String]
    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws
}

extension BenchCommand {
    func offering() throws -> [Setting: String] { [:] }
    func run() async throws { try await options.run(self) }
}

/// What a bench measures with: the composition that is served, over a database that nobody has used, and who asks.
struct BenchRun: Sendable {
    let settings: Settings
    let composition: Composition
    let registry: PrometheusRegistry
    /// Its own, and gone afterwards.
    let folder: URL
    /// The app, and a person to log in.
    let version: DemoCredentials.Version
    let person: DemoCredentials.Person
    /// A machine: `client_id:client_secret` in Base64 (RFC 6749, 2.3.1).
    let machine: String

    var database: Database { composition.database }

    /// Migrates the database, and makes who will ask.
    static func prepare(_ settings: Settings, in folder: URL) async throws -> BenchRun {
        let logger = Bootstrap.logging(settings), registry = Bootstrap.metrics()
        let database = try settings.connect(forCommand: true, logger)
        let isUsed: Bool =
            try await database.query("select to_regclass('migration') is not null as used").first.map { try $0("used") }
            ?? true
        guard !isUsed else { throw BenchFailure.used }
        try await Migrator(database: database, directory: settings.migrationsFolder, logger: logger).migrate()
        let composition = try await Composition(settings, database: database, logger: logger)
        try await composition.prepare()
        let people = try await DemoFederation(composition: composition, state: folder.path).ensure()
        guard let version = people.versions.first, let person = people.people.first else {
            throw BenchFailure.notServing
        }
        let draft = WebClientDraft(name: "bench", grantTypes: ["client_credentials"], scope: "read")
        let (client, secret) = try await WebClientStore(clock: composition.clock, randomness: composition.randomness)
            .create(draft, in: database)
        return BenchRun(
            settings: settings, composition: composition, registry: registry, folder: folder, version: version,
            person: person, machine: Data("\(client.id):\(secret ?? "")".utf8).base64EncodedString())
    }

    // MARK: Serving

    /// Everything in this process, on a free port, and beside it `count` bare answers, under a load generator of so
    /// many clients. Gives what `measure` appends.
    func overHTTP(
        clients: Int, bareAnswers count: Int = 1,
        _ measure: (BenchServer, BareAnswers, inout [BenchRow]) async throws -> Void
    ) async throws -> [BenchRow] {
        try await BenchLoad.open(clients: clients) { load in
            var rows: [BenchRow] = []
            let texts = BareAnswers.Texts(count)
            try await BenchListening.run([.table(composition.routes())] + texts.listeners, of: composition) {
                addresses in
                try await measure(
                    BenchServer(run: self, load: load, address: addresses[0]),
                    BareAnswers(texts, at: addresses.dropFirst()), &rows)
            }
            return rows
        }
    }

    /// The program as it ships, in a process of its own, and in this one `count` bare answers. `more`: variables of its
    /// environment.
    func served<Result: Sendable>(
        clients: Int, bareAnswers count: Int = 0, adding more: [String: String] = [:],
        _ measure: (BenchServer, ServedProcess, BareAnswers) async throws -> Result
    ) async throws -> Result {
        try await BenchLoad.open(clients: clients) { load in
            var result: Result?
            let texts = BareAnswers.Texts(count)
            try await BenchListening.run(texts.listeners, of: composition, waking: false) { addresses in
                result = try await ServedProcess.run(settings, load.client, adding: more) { served in
                    try await measure(
                        BenchServer(run: self, load: load, address: served.address), served,
                        BareAnswers(texts, at: addresses[...]))
                }
            }
            guard let result else { throw BenchFailure.notServing }
            return result
        }
    }
}

/// Answers with no work behind them: what HTTP alone costs, on both sides.
struct BareAnswers: Sendable {
    /// What they say; nothing at first.
    struct Texts: Sendable {
        fileprivate let all: Locked<[String]>
        private let count: Int

        init(_ count: Int) { (all, self.count) = (Locked([String](repeating: "", count: count)), count) }

        var listeners: [Listener.Answering] {
            (0..<count).map { [all] number in
                .document(path: "/answer", type: "application/json", text: { all.with { $0[number] } })
            }
        }
    }

    private let texts: Texts
    /// Where each of them stands.
    let urls: [String]

    init(_ texts: Texts, at addresses: ArraySlice<String>) {
        (self.texts, urls) = (texts, addresses.map { $0 + "/answer" })
    }

    /// From now on, one for each.
    func say(_ answers: [String]) { texts.all.with { $0 = answers } }
}
