import Administration
import ArgumentParser
import Base
import Database
import Foundation
import HTTP
import Keys
import Logging
import Server
import TokenTree

extension KeysCommand {
    /// `keys reseal`: everything that the master key seals, anew under another one, in one transaction (decisions.md,
    /// The server 3).
    ///
    /// It opens no composition, which needs the sealed keys, so that it can be run once more for what a process sealed
    /// with the old key afterwards.
    struct Reseal: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                """
                Seal everything anew under another master key; the configuration names the one that it is sealed by \
                now.
                """,
            discussion: """
                Stop every process of this database first, put the new key's file in place of the old one \
                afterwards, and \
                start them. \(Resealing.ended) Keep the old key as long as you keep backups made under it.
                """)
        @Option(
            help: ArgumentHelp("File with the new master key, 32 bytes as base64url; - is stdin.", valueName: "file"))
        var toKey: String
        @Flag(help: "Do it although others are connected to the database: they are no processes of Pando.")
        var ignoreConnections = false
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func run() async throws {
            let question = "Seal everything under the key in \(toKey)? With the old key nothing starts any more."
            if !change.yes, !change.dryRun { try AdminRunner.ask(question) }
            try await AdminFailure.reporting { try await reseal() }
        }

        private func reseal() async throws {
            try await AdminConnection.open(common.configuration, connections: 1) { settings, database, logger in
                let resealing = Resealing(
                    settings: settings, database: database, from: try settings.masterKey(), to: try successor(),
                    logger: logger)
                guard resealing.from.id != resealing.to.id else {
                    throw AdminFailure(.conflict, "\(toKey) holds the master key of this configuration")
                }
                let (actor, isDryRun, admitsOthers) = (
                    AuditActor.operator(change.reason), change.dryRun, change.dryRun || ignoreConnections
                )
                let work: @Sendable (Transaction) async throws -> JSONObject = { transaction in
                    let others = try await resealing.otherConnections(transaction)
                    guard others == 0 || admitsOthers else {
                        throw AdminFailure(
                            .conflict, "\(others) other connections to this database are open",
                            hint: "stop every process of Pando first, or say --ignore-connections if they are none")
                    }
                    var result = try await resealing.perform(by: actor, in: transaction)
                    result["other_connections"] = .integer(others)
                    result["dry_run"] = .bool(isDryRun)
                    return result
                }
                let result = try await isDryRun ? database.rollingBack(work) : database.atomically(work)
                try AdminOutput.writeDone(.object(result), common)
                guard !isDryRun else { return }
                let next =
                    """
                    pando: now put the new key into \(settings.masterKeyFile) for every process, and start them; \
                    with the old one nothing starts\n
                    """
                FileHandle.standardError.write(Data(next.utf8))
            }
        }

        private func successor() throws -> MasterKey {
            let text = try AdminInput.text(toKey).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let bytes = Base64URL.decode(text), let key = try? MasterKey(SecretBytes(bytes)) else {
                throw AdminFailure(
                    .invalid, "\(toKey) must hold 32 bytes as base64url", hint: "deploy/master-key.sh makes such a file"
                )
            }
            return key
        }
    }
}

/// All that is sealed, room by room. Each refuses what is sealed by a third key, and then nothing has changed: there
/// never is a mixture.
private struct Resealing: Sendable {
    let settings: Settings
    let database: Database
    let from: MasterKey
    let to: MasterKey
    let logger: Logger

    static var products: [MasterKeyRotation] { Product.all.compactMap(\.administration.rotation) }

    /// A sentence about what does not outlive the old key.
    static var ended: String {
        let ends = products.map(\.ends), others = ends.dropFirst().map { ", and so do \($0)" }.joined()
        guard let first = ends.first else { return "" }
        return
            """
            \(first.prefix(1).uppercased())\(first.dropFirst()) end, since their links come from the master \
            key\(others).
            """
    }

    /// Of the name that our own connection has: every process of Pando with the same connection string has it too.
    func otherConnections(_ transaction: any SQLExecutor) async throws -> Int {
        let rows = try await transaction.query(
            """
            select count(*) as others from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()
                and application_name = current_setting('application_name')
            """)
        guard let row = rows.first else { return 0 }
        return try row("others")
    }

    func perform(by actor: AuditActor, in transaction: any SQLExecutor) async throws -> JSONObject {
        let clock = WallClock.system
        let secrets = try await SealedSecrets(master: from, clock: clock, randomness: .system).reseal(
            under: to, in: transaction)
        let keys = SigningKeys(
            database: database, masterKey: from, settings: .init(algorithms: settings.signingAlgorithms), clock: clock,
            randomness: .system,
            logger: logger)
        let signing = try await keys.reseal(under: to, transaction)
        var total = secrets + signing
        var counts: JSONObject = [
            "from": .string(from.id), "to": .string(to.id), "sealed_secrets": .integer(secrets),
            "signing_keys": .integer(signing),
        ]
        for product in Resealing.products {
            let count = try await product.reseal(from, to, clock, transaction)
            counts[product.member] = .integer(count)
            total += count
        }
        try await AuditTrail.write(
            AuditEntry(actor: actor, action: "keys.reseal", detail: counts), at: clock.now(), in: transaction)
        var result = counts
        result["already"] = .bool(total == 0)
        return result
    }
}
