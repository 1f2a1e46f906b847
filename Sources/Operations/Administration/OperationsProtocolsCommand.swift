import Administration
import ArgumentParser
import Base

/// `operations protocols`: what the phones of an application may speak (docs/operations.md, "PowerAuth 4").
struct OperationsProtocolsCommand: AdminChange {
    static let configuration = CommandConfiguration(
        commandName: "protocols", abstract: "Choose which protocols an app's phones may speak.",
        discussion:
            """
            Without --app of the server's own application. Phones that speak a protocol already go on with it; those \
            of 3.3 are told that they may upgrade when 4.0 is among them. Apps that are to speak 4.0 are built with \
            the configuration that `operations config` tells afterwards.
            """)
    @Option(help: ArgumentHelp("3.3 or 4.0; may be given twice.", valueName: "protocol")) var take: [String]
    @Option(
        help: ArgumentHelp(
            "Of protocol 4.0: EC_P384, EC_P384_ML_L3 or EC_P384_ML_L5; may be repeated. All of them without.",
            valueName: "algorithm")) var algorithm: [String] = []
    @Option(help: ArgumentHelp("The application of a relying service.", valueName: "appId")) var app: String?
    @Option(help: ArgumentHelp("Whose it is, where several services have one of that name.", valueName: "client id"))
    var client: String?
    @OptionGroup var change: ChangeOptions
    @OptionGroup var common: AdminOptions

    func validate() throws {
        guard client == nil || app != nil else { throw ValidationError("--client goes with --app") }
        guard !take.isEmpty else { throw ValidationError("--take says which protocol") }
    }

    func perform(_ session: AdminSession) async throws -> JSONObject {
        let caller =
            client.map { OperationsCaller.machine(client: $0, below: [], actor: session.actor) }
            ?? .administrator(session.actor)
        let choice = try ProtocolChoice(protocols: take, algorithms: algorithm.isEmpty ? nil : algorithm)
        let (view, already) = try await session.operations.powerAuth.choose(
            choice, of: app, by: caller, in: session.executor)
        let members: JSONObject = [
            "app": .string(view.application.appID),
            "protocols": JSONValue(strings: view.application.choice.protocolNames),
            "algorithms": JSONValue(strings: view.application.choice.algorithmNames),
        ]
        return members.adding(already: already)
    }
}
