import Administration
import ArgumentParser
import Base
import Foundation
import PandoClient

/// Which server, and how the result is told.
struct RemoteOptions: ParsableArguments {
    /// What the environment says. ArgumentParser makes options itself, so no initialiser can be handed it.
    @TaskLocal static var environment: [String: String] = [:]

    @Option(
        help: ArgumentHelp(
            "The server; PANDO_SERVER by default, or the only one with a login here.", valueName: "url"))
    var server: String?
    @Flag(help: "One JSON value on stdout and nothing else.") var json = false

    func address(_ files: LoginFiles) throws -> String {
        if let named = server ?? RemoteOptions.environment["PANDO_SERVER"], !named.isEmpty { return named }
        let known = files.issuers
        guard known.count == 1 else {
            throw AdminFailure(
                .usage, known.isEmpty ? "which server?" : "which server: \(known.joined(separator: ", "))?",
                hint: "--server URL, or PANDO_SERVER")
        }
        return known[0]
    }

    func withServer(_ body: (RemoteServer) async throws -> JSONObject) async throws {
        let result = try await RemoteServer.reporting {
            try await Transport.withAsyncHTTPClient { transport in
                let files = LoginFiles(environment: RemoteOptions.environment)
                return try await body(try RemoteServer(try address(files), files: files, transport: transport))
            }
        }
        AdminOutput.write(.object(result), json: json)
    }
}

/// `pando login`: a person, for `pando admin --server` (RFC 8628).
public struct LoginCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Log in to a server, to administer it from here.",
        discussion: """
            Shows an address and a code; whoever opens it, on any device, logs in there and decides. What is got is \
            bound to a key that is made here, and kept in a file that nobody else may read.
            """)

    @Option(help: ArgumentHelp("A login there that is older is made anew.", valueName: "seconds")) var maxAge: Int?
    @OptionGroup var remote: RemoteOptions

    public init() {}

    public func validate() throws {
        if let maxAge, maxAge < 0 { throw ValidationError("--max-age takes a number of seconds") }
    }

    public func run() async throws {
        try await remote.withServer { [maxAge] server in
            try await server.logIn(maxAge: maxAge, show: LoginCommand.tell)
            return try await server.caller()
        }
    }

    static func tell(_ login: DeviceLogin) {
        let place = login.completeURI ?? login.verificationURI
        let text = "Open \(place)\nand check that it shows \(login.userCode). Waiting …\n"
        FileHandle.standardError.write(Data(text.utf8))
    }
}

/// `pando logout`: revokes what `pando login` got, and forgets it.
public struct LogoutCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "End the login at a server, and forget it.")

    @OptionGroup var remote: RemoteOptions

    public init() {}

    public func run() async throws {
        try await remote.withServer { server in
            ["server": .string(server.issuer), "already": .bool(try await !server.logOut())]
        }
    }
}

/// `pando whoami`: as whom this machine administers a server.
public struct WhoAmICommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Tell who is logged in at a server, and what roles they have.")

    @OptionGroup var remote: RemoteOptions

    public init() {}

    public func run() async throws { try await remote.withServer { try await $0.caller() } }
}

/// Logging in and out, for the program.
public enum RemoteLogins {
    public static let commands: [any ParsableCommand.Type] = [
        LoginCommand.self, LogoutCommand.self, WhoAmICommand.self,
    ]

    public static func with(_ environment: [String: String], _ body: @Sendable () async -> Void) async {
        await RemoteOptions.$environment.withValue(environment) { await body() }
    }
}

extension RemoteServer {
    /// Who the server says is logged in.
    func caller() async throws -> JSONObject {
        let response = try await send(.get(api))
        guard response.isGood else {
            let refusal = PandoClient.OAuthError(response)
            if refusal.code == .invalidToken { throw loggedOut(refusal.detail ?? "the login has ended") }
            throw refusal
        }
        let told = try JSONReader.read(response.body)
        var result: JSONObject = ["server": .string(issuer)]
        for name in ["caller", "username", "roles"] { result[name] = told[name] }
        return result
    }
}
