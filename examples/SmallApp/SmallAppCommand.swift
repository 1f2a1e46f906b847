import Crypto
import Foundation
import PandoClient

/// `SmallApp` on a command line; without words it lists them.
@main
enum SmallAppCommand {
    static let usage = """
        SmallApp STATE key FILE                            make a version's key, and print its public half
        SmallApp STATE register ISSUER APP VERSION FILE    become an installation of a version, or of the next one
        SmallApp STATE login USERNAME [FACTOR]             the password is asked for, or read from standard input
        SmallApp STATE find PROTOCOL                       services that offer it
        SmallApp STATE get PROTOCOL BUNDLE                 GET its link, as an app that gets a token from this one
        SmallApp STATE refresh                             new tokens for the person
        SmallApp STATE disconnect                          end this installation and all that came of it

        """

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            guard words.count > 1 else { return print(usage, terminator: "") }
            print(try await run(words[0], words[1], Array(words[2...])))
        } catch {
            fail((error as? SmallApp.Failure)?.rawValue ?? "\(error)")
        }
    }

    private static func run(_ state: String, _ command: String, _ words: [String]) async throws -> String {
        if command == "key", let file = words.first { return try makeKey(file) }
        let store = try Store(path: state)
        let known = await store.kept.issuer
        guard let issuer = command == "register" ? words.first : known else { throw SmallApp.Failure.registerFirst }
        return try await Transport.withAsyncHTTPClient { transport in
            let app = try await SmallApp(issuer: issuer, store: store, transport: transport)
            return try await run(app, command, words)
        }
    }

    private static func run(_ app: SmallApp, _ command: String, _ words: [String]) async throws -> String {
        switch (command, words.count) {
        case ("register", 4):
            let key = try SigningKey(pem: String(contentsOfFile: words[3], encoding: .utf8))
            let version = AppVersion(app: words[1], version: words[2], key: key)
            let process = ProcessInfo.processInfo
            let instance = try await app.register(
                version, name: process.hostName, type: "computer", osVersion: process.operatingSystemVersionString)
            return "registered as \(instance.id)"
        case ("login", 1), ("login", 2):
            _ = try await app.logIn(
                username: words[0], password: read("password: "), factor: words.dropFirst().first,
                show: {
                    print("open on your phone: \($0)")
                    fflush(nil)
                }, ask: { read("recovery code: ") })
            return "logged in as \(words[0])"
        case ("find", 1):
            return try await app.person().find(words).map { "\($0.name): \($0.link(of: words[0]) ?? "")" }
                .joined(separator: "\n")
        case ("get", 2):
            return String(decoding: try await app.open(words[0], for: words[1]).get().bytes(), as: UTF8.self)
        case ("refresh", 0):
            let tokens = try await app.person().tokens
            _ = try await tokens.refresh(after: tokens.current)
            return "refreshed"
        case ("disconnect", 0):
            try await app.disconnect()
            return "disconnected"
        default: return usage
        }
    }

    private static func makeKey(_ file: String) throws -> String {
        let key = P256.Signing.PrivateKey()
        try Data(key.pemRepresentation.utf8).write(to: URL(fileURLWithPath: file), options: .withoutOverwriting)
        return String(decoding: try SigningKey(key).jwk.bytes(), as: UTF8.self)
    }

    private static func read(_ prompt: String) -> String {
        isatty(0) == 0 ? readLine() ?? "" : getpass(prompt).map { String(cString: $0) } ?? ""
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("SmallApp: \(text)\n".utf8))
        exit(1)
    }
}
