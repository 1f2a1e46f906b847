import PandoClient
import SmallService

/// `SmallService ISSUER BASE PORT`: listens at PORT of this machine, and is reached as BASE.
@main
enum SmallServiceCommand {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count == 3, let port = Int(words[2]) else {
            print("SmallService ISSUER BASE PORT")
            return
        }
        try await Transport.withAsyncHTTPClient { transport in
            try await SmallService(issuer: words[0], base: words[1], transport: transport).serve(at: port)
        }
    }
}
