import ArgumentParser
import Commands
import Liquid
import Server
import Simulators

/// `pando demo liquid`: a page that no one is logged in at, and a wallet, from the QR code to the operator who ends the
/// page's session.
struct DemoLiquid: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "liquid",
        abstract:
            """
            Log in with a wallet: register a passkey, link a page by QR code, exchange offer and answer, revoke the \
            session.
            """,
        discussion: """
            A page draws a QR code; a simulated wallet with an Algorand account and a passkey scans it, as the real \
            SDKs would, and the page is logged in. Both exchange \
            what a peer connection begins with; then an operator ends the page's session, and its socket closes. \
            The operator's part is done in the server's database, as `pando admin` does it: run this where that works.
            """
    )

    @OptionGroup var options: DemoOptions

    func run() async throws {
        let values = try await options.configuration.values(), address = try options.address(values)
        try await options.reporting {
            try await DemoLiquidJourney.walk(address, DemoOperator(values: values), telling: options.teller)
        }
    }
}

/// The operator of the server that the demo walks against: what `pando admin wallets revoke` does, in this process.
struct DemoOperator: Sendable {
    let values: ConfigurationValues

    /// Ends one session of a wallet.
    func revoke(wallet: String, session: String) async throws {
        do {
            var values = self.values
            values.offer("warning", for: .logLevel, origin: "pando demo")
            try DevelopmentDatabase.offer(to: &values)
            let settings = try Settings(values), logger = Bootstrap.logging(settings),
                database = try settings.connect(connections: 2, logger)
            let composition = try await Composition(settings, database: database, logger: logger, isServing: false)
            let wallets = WalletOperator(
                composition.revocation, actor: .operator("pando demo"), clock: composition.clock)
            let ended = try await database.atomically { try await wallets.revoke(wallet, session: session, in: $0) }
            await database.close()
            guard ended == [session] else { throw DemoFailure.noOperator("the session was over before") }
        } catch let failure as DemoFailure {
            throw failure
        } catch {
            throw DemoFailure.noOperator("\(error)")
        }
    }
}
