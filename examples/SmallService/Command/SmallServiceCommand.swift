import Hummingbird
import PandoClient

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
            let service = SmallService(issuer: words[0], base: words[1], transport: transport)
            let address = ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
            try await Application(router: service.router(), configuration: address).runService()
        }
    }
}
