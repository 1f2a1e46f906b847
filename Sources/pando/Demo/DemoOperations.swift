import ArgumentParser
import Base
import PowerAuth

/// `pando demo operations`: a bank that relies on operations, and a phone, from the activation code to the last
/// approval.
struct DemoOperations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operations",
        abstract:
            "Approve by phone: activate a simulated phone, approve and reject payments, with a network and without.",
        discussion: """
            A bank registers its customer's phone; the activation code is drawn here, and a simulated phone with a \
            PIN scans it, as the real SDK would. A payment is \
            approved, another rejected, a third approved offline by typed digits; then the phone removes itself. \
            The bank's client is in demo.json of the state directory, where `pando dev` puts it, or is named by \
            --client: its scope is com.wultra.operations.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The phone speaks PowerAuth 4 with this: EC_P384, EC_P384_ML_L3 or EC_P384_ML_L5. 3.3 without.",
            valueName: "algorithm")) var algorithm: String?
    @OptionGroup var options: DemoOptions
    @OptionGroup var acting: DemoClientOptions

    func validate() throws {
        guard algorithm == nil || chosen != nil else {
            throw ValidationError(
                "--algorithm takes one of \(SharedSecretAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))")
        }
    }

    private var chosen: SharedSecretAlgorithm? { algorithm.flatMap(SharedSecretAlgorithm.init(rawValue:)) }

    func run() async throws {
        let values = try await options.configuration.values(), address = try options.address(values)
        try await options.reporting {
            try await DemoOperationsJourney.walk(
                address, try acting.credentials(values[.stateDirectory]), speaking: chosen, telling: options.teller)
        }
    }
}
