import Administration
import ArgumentParser
import Base
import Foundation
import Registration
import TokenTree

/// `clients rotate-secret` and `services rotate-secret`: another secret in place of one that was lost or has aged.
struct RotateSecretOptions: ParsableArguments {
    /// Longer, and nobody remembers that there are two.
    static let longest: TimeInterval = 30 * 86_400

    @Option(
        help: ArgumentHelp(
            "Take the secret of now beside the new one for this long, e.g. 10m, 24h or 7d; 30d at most.",
            valueName: "duration"))
    var keepOld: String?

    func validate() throws {
        if let keepOld, RotateSecretOptions.seconds(keepOld) == nil {
            throw ValidationError("--keep-old takes a number and s, m, h or d, e.g. 24h, up to 30d; not \(keepOld)")
        }
    }

    /// Whoever is not given time stands still until the new secret is where it is needed.
    func question(_ name: String) -> String? {
        keepOld == nil ? "Replace the secret of \(name)? What shows the one of now is refused at once." : nil
    }

    func rotate(_ client: WebClient, action: String, node: String, _ session: AdminSession) async throws -> JSONObject {
        let now = session.now, until = keepOld.flatMap { RotateSecretOptions.seconds($0) }.map { now + $0 }
        guard let rotated = try await session.clients.rotateSecret(of: client, keepingOld: until, in: session.executor)
        else {
            throw AdminFailure(
                .conflict, "\(node) authenticates by \(client.authMethod.rawValue), which knows no secret",
                hint: "where its key was lost, publish another at its jwks_uri, or make a client anew")
        }
        let entry = AuditEntry(
            actor: session.actor, action: action, node: node,
            detail: ["old_secret_until": JSONValue(until?.rfc3339)])
        try await AuditTrail.write(entry, at: session.now, in: session.executor)
        return [
            "client_id": .string(client.id), "client_secret": .string(rotated.secret),
            "old_secret_until": JSONValue(until?.rfc3339), "dry_run": .bool(session.isDryRun),
        ]
    }

    /// A number and its unit.
    static func seconds(_ text: String) -> TimeInterval? {
        let units: [Character: TimeInterval] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()), number > 0 else {
            return nil
        }
        let seconds = Double(number) * unit
        return seconds <= longest ? seconds : nil
    }
}

extension ClientsCommand {
    struct RotateSecret: AdminChange {
        static let configuration = CommandConfiguration(
            commandName: "rotate-secret", abstract: "Give a client another secret; it is printed once.",
            discussion: "What it was issued lives on: `tokens revoke client:ID` ends that.")
        @Argument(help: "client_id.") var id: String
        @OptionGroup var options: RotateSecretOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { options.question(id) }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let client = try await ClientsCommand.find(id, locking: true, session)
            return try await options.rotate(client, action: "clients.rotate-secret", node: "client:\(id)", session)
        }
    }
}

extension ServicesCommand {
    struct RotateSecret: AdminChange {
        static let configuration = CommandConfiguration(
            commandName: "rotate-secret", abstract: "Give a service's client another secret; it is printed once.",
            discussion: "What the service was issued lives on: `tokens revoke client:ID` ends that.")
        @Argument(help: "Id or base URL.") var service: String
        @OptionGroup var options: RotateSecretOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { options.question(service) }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let known = try await ServicesCommand.find(service, session)
            let client = try await ClientsCommand.find(known.clientID, locking: true, session)
            var result: JSONObject = ["service": .string(known.id)]
            let node = "service:\(known.id)"
            for (name, value) in try await options.rotate(
                client, action: "services.rotate-secret", node: node, session)
            {
                result[name] = value
            }
            return result
        }
    }
}
