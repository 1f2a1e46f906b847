import Base
import Database
import Logging
import OAuth

/// Whether `pando serve` would start with its settings, as far as that can be said without database and network: a
/// server is composed as it is there, on a database that nobody asks. So what a part reads of settings and files when
/// it is made is found here too, and no list has to follow it. What `serve` does besides stands in `Serve`.
///
/// A certificate that has expired stops no start: `pando doctor` looks at what is presented.
public struct StartCheck: Sendable {
    private let settings: Settings

    public init(_ settings: Settings) { self.settings = settings }

    /// - Returns: the built-in services that it would serve, and where.
    /// - Throws: `UnacceptableSetting`.
    @discardableResult
    public func run() async throws -> [ServiceProfile] {
        let logger = Logger(label: "pando") { _ in SwiftLogNoOpLogHandler() }
        let database = try settings.connect(logger)
        _ = try settings.migrator(on: database, logger: logger)
        let composition = try await Composition(
            settings, database: database, logger: logger, secrets: StartCheck.secrets(try settings.masterKey()))
        _ = try ServerProcess(composition: composition, metrics: nil)
        await composition.replica?.close()
        await database.close()
        return composition.builtIn
    }

    /// In place of those that the database keeps: nothing is sealed or signed.
    private static func secrets(_ master: MasterKey) -> Composition.Secrets {
        let none = master.derive("start check")
        return Composition.Secrets(master: master, refreshTokens: none, pairwiseNames: none, proofNonces: none)
    }
}
