import Administration
import ArgumentParser
import Base
import Commands
import Database
import Foundation
import Logging
import Server
import Simulators

/// `pando dev`: everything on this machine, with a private PostgreSQL, a master key and demo data when there are none.
struct Dev: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the whole federation on this machine, with a private PostgreSQL and demo data.")

    @OptionGroup var options: ConfigurationOptions
    @Flag(inversion: .prefixedNo, help: "Walk the demo journey once the server is up.") var demo = true

    /// An Android wallet that nobody can sign: its certificate's fingerprint counts from 0 to 31. For software wallets,
    /// whose origin is `android:apk-key-hash:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8`.
    static let wallet =
        "org.example.wallet="
        + (0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")

    func run() async throws {
        var values = try await options.values()
        values.offer("true", for: .allowLoopbackServices, origin: "pando dev")
        values.offer("notice", for: .logLevel, origin: "pando dev")
        values.offer("0", for: .drainDelay, origin: "pando dev")
        values.offer(Dev.wallet, for: .liquidAndroid, origin: "pando dev")
        values.offer("true", for: .liquidConformance, origin: "pando dev")
        let state = values[.stateDirectory]
        values.offer("\(state)/master.key", for: .masterKeyFile, origin: "pando dev")
        let postgres = PrivatePostgres(directory: "\(state)/postgres")
        let isPrivate = values[.database].isEmpty
        if isPrivate { values.offer(try postgres.start(), for: .database, origin: "pando dev") }
        defer { if isPrivate { postgres.stop() } }
        let settings = try Settings(values)
        try DevelopmentKey.ensure(at: settings.masterKeyFile)
        let logger = Bootstrap.logging(settings, tellsRefusals: true)
        let metrics = Bootstrap.metrics()
        try await Bootstrap.reporting {
            let database = try settings.connect(logger)
            try await settings.migrator(on: database, logger: logger).migrate()
            let composition = try await Composition(
                settings, database: database, logger: logger, administration: .ofServer)
            let process = try ServerProcess(composition: composition, metrics: metrics)
            try await composition.prepare()
            let federation = try await DemoFederation(composition: composition, state: state).ensure()
            let walks = demo
            try await process.run(ready: {
                Task { await DevWelcome(settings: settings, federation: federation).greet(walking: walks) }
            })
        }
    }
}

/// The master key of a development machine. Losing it makes sealed rows unreadable: see docs/operate.md.
enum DevelopmentKey {
    static func ensure(at path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        let text = Base64URL.encode(Randomness.system.bytes(32)) + "\n"
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else {
            throw Settings.Unacceptable(description: "master-key-file: \(path) cannot be written")
        }
    }
}
