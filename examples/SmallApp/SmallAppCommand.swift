import Foundation
import PandoClient

/// `SmallApp ISSUER APP VERSION KEY USERNAME`, where KEY is a file with the version's key in PEM. The password comes on
/// standard input.
@main
enum SmallAppCommand {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        guard words.count == 5, let password = readLine() else {
            print("SmallApp ISSUER APP VERSION KEY USERNAME, and the password on standard input")
            return
        }
        let arguments = Array(words)
        let key = try SigningKey(pem: String(contentsOfFile: arguments[3], encoding: .utf8))
        let version = AppVersion(app: arguments[1], version: arguments[2], key: key)
        try await Transport.withAsyncHTTPClient { transport in
            let app = SmallApp(issuer: arguments[0], version: version, transport: transport)
            print(try await app.connect(username: arguments[4], password: password).greeting())
        }
    }
}
