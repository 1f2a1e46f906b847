import Foundation
import Server
import Simulators

/// What `pando dev` says once it serves: addresses, first credentials, and the demo journey.
struct DevWelcome: Sendable {
    let settings: Settings
    let federation: DemoCredentials

    /// Real HTTP to this very process when walking. The last lines are those a person needs.
    func greet(walking: Bool) async {
        StepPrinter.write(
            (["", "Pando serves at \(settings.root)", ""] + addresses + ["", "People of the demo federation:"] + people)
                .joined(separator: "\n") + "\n")
        if walking {
            await walk()
            StepPrinter.write(
                (["", "Pando serves at \(settings.root)", ""] + addresses + people).joined(separator: "\n") + "\n")
        }
        StepPrinter.write(
            (["", "Look around:"] + commands + ["", "Ctrl-C stops everything.", ""]).joined(separator: "\n"))
    }

    private var addresses: [String] {
        var lines = [
            ("home page", settings.root + "/"), ("account page", settings.root + "/account"),
            ("server metadata", settings.root + "/.well-known/oauth-authorization-server"),
            ("OpenAPI", settings.root + "/openapi.yaml"),
        ]
        if let port = settings.metricsPort, port > 0 { lines.append(("metrics", "http://127.0.0.1:\(port)/metrics")) }
        return lines.map { "  " + $0.0.padding(toLength: 17, withPad: " ", startingAt: 0) + $0.1 }
    }

    private var people: [String] {
        federation.people.map {
            "  " + $0.username.padding(toLength: 17, withPad: " ", startingAt: 0) + "password \($0.password)"
        }
    }

    private var commands: [String] {
        let pando = CommandLine.arguments[0], version = federation.versions.first?.id ?? "\(DemoFederation.app).1"
        return [
            "  \(pando) demo --curl", "  \(pando) demo tiqr", "  \(pando) demo operations", "  \(pando) demo service",
            "  \(pando) admin accounts list", "  \(pando) admin tree show version:\(version)",
        ]
    }

    private func walk() async {
        guard let version = federation.versions.first, let person = federation.people.first else { return }
        do {
            try await DemoJourney.walk(settings.root, version, person, telling: StepPrinter(.text))
        } catch let failure as DemoFailure {
            StepPrinter.write("The demo stopped: \(failure). \(failure.hint).\n")
        } catch {
            StepPrinter.write("The demo stopped: \(error).\n")
        }
    }
}
