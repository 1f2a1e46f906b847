import ArgumentParser
import Base

/// `pando demo tiqr`: a service that relies on tiqr, and a phone, from the first QR code to the last answer.
struct DemoTiqr: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tiqr", abstract: "Log in by phone: enrol a simulated phone, answer challenges, remove it.",
        discussion: """
            A service begins an enrollment; the QR code is drawn here, and a simulated phone with a PIN scans it. \
            The phone answers wrongly, rightly and offline, \
            and is removed. \
            The service's client is in demo.json of the state directory, where `pando dev` puts it, or is named by \
            --client: its scopes are org.tiqr.enroll and \
            org.tiqr.auth.
            """
    )

    @OptionGroup var options: DemoOptions
    @OptionGroup var acting: DemoClientOptions

    func run() async throws {
        let values = try await options.configuration.values(), address = try options.address(values)
        try await options.reporting {
            try await DemoTiqrJourney.walk(
                address, try acting.credentials(values[.stateDirectory]), telling: options.teller)
        }
    }
}
