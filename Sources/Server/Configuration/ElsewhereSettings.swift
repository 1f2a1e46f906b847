import Base
import Foundation
import HTTP
import OAuth

extension Setting {
    static let authorizationServer = Setting(
        "authorization-server",
        "issuer to whose federation this process's services belong, where that is another server; empty for this one")
    static let serviceCredentials = Setting(
        "service-credentials",
        "JSON file: for each service that this process runs, its client_id and client_secret at authorization-server")
    static let serviceEvents = Setting(
        "service-events", "how services hear from authorization-server of what has ended: push or poll",
        default: "push")
    static let listInterval = Setting(
        "list-interval", "seconds between two questions for the list of authorization-server, by the role discovery",
        default: "10")

    static let ofElsewhere = [authorizationServer, serviceCredentials, serviceEvents, listInterval]
}

/// Services that run here and belong to the federation of another server (docs/roles-apart.md).
public struct ElsewhereSettings: Sendable {
    /// What a service is there.
    struct Credentials: Sendable {
        let clientID: String
        let secret: SecretBytes
    }

    public let issuer: WebAddress
    let credentialsFile: String
    let hearing: ElsewhereService.Hearing
    /// Seconds.
    let listInterval: TimeInterval

    /// As it stands in what that server signs.
    public var root: String { issuer.withoutQuery }

    /// `nil` where the services belong to this server. `own` is its URL, `roles` what the process runs. What stands in
    /// the file is not looked at.
    init?(_ values: SettingValues, own: WebAddress, roles: Set<Settings.Role>) throws {
        let text = values[.authorizationServer]
        guard !text.isEmpty else {
            for setting in [Setting.serviceCredentials] where !values[setting].isEmpty {
                throw SettingValues.unacceptable(setting, "it is nothing without authorization-server")
            }
            return nil
        }
        guard let issuer = WebAddress(text), issuer.query == nil, issuer.scheme == "https" || issuer.isLoopback else {
            throw SettingValues.unacceptable(.authorizationServer, "\(text) is no https URL without query")
        }
        guard issuer != own else {
            throw SettingValues.unacceptable(
                .authorizationServer,
                "that is this server's own issuer: leave it empty, or give this server a URL of its own (issuer)")
        }
        let homely = roles.intersection([.idp, .crawler]).map(\.name).sorted()
        guard homely.isEmpty else {
            throw SettingValues.unacceptable(
                .roles,
                """
                people and the index are those of authorization-server, so this process runs no \
                \(homely.joined(separator: ", ")): name its services alone, as roles=tiqr,operations
                """)
        }
        guard !roles.isEmpty else { throw SettingValues.unacceptable(.roles, "name the services of this process") }
        guard !values[.serviceCredentials].isEmpty else {
            throw SettingValues.unacceptable(
                .serviceCredentials,
                """
                name a JSON file such as {"tiqr": {"client_id": "…", "client_secret": "…"}}, with what `pando admin \
                services add` gave for each service at \(text)
                """)
        }
        guard let hearing = ElsewhereService.Hearing(rawValue: values[.serviceEvents]) else {
            throw SettingValues.unacceptable(.serviceEvents, "write push or poll")
        }
        (self.issuer, credentialsFile, self.hearing) = (issuer, values[.serviceCredentials], hearing)
        listInterval = TimeInterval(try values.number(.listInterval, in: 1...3_600))
    }

    /// Reads the file: what each of `services` is at the other server.
    func credentials(of services: [String]) throws -> [String: Credentials] {
        let text = try SettingValues.read(credentialsFile, .serviceCredentials)
        guard let members = (try? JSONReader.read(Array(text.utf8)))?.object else {
            throw SettingValues.unacceptable(.serviceCredentials, "\(credentialsFile) holds no JSON object")
        }
        if let stranger = members.names.first(where: { !Settings.Role.allCases.map(\.name).contains($0) }) {
            throw SettingValues.unacceptable(
                .serviceCredentials, "\(credentialsFile): \(stranger) is no service of this server")
        }
        var found: [String: Credentials] = [:]
        for name in services {
            guard let id = members[name]?["client_id"]?.string, !id.isEmpty,
                let secret = members[name]?["client_secret"]?.string, !secret.isEmpty
            else {
                throw SettingValues.unacceptable(
                    .serviceCredentials,
                    """
                    \(credentialsFile) has no client_id and client_secret of \(name): enter it at \(root) by `pando \
                    admin services add`, which prints both
                    """)
            }
            found[name] = Credentials(clientID: id, secret: SecretBytes(secret.utf8))
        }
        return found
    }
}

extension Settings {
    /// What is to be said of services that belong to another server's federation; `nil` where none does. Reads the file
    /// with their credentials, and throws where one has none.
    public func servicesElsewhere() throws -> String? {
        guard let elsewhere else { return nil }
        let names = roles.map(\.name).sorted()
        let known = try elsewhere.credentials(of: names)
        let services = names.map { "\($0) as client \(known[$0]?.clientID ?? "")" }.joined(separator: ", ")
        return
            "its services belong to \(elsewhere.root): \(services); what ends is heard by \(elsewhere.hearing.rawValue)"
    }
}
