import Foundation
import PandoClient
import SmallService

/// Listens at `PORT` of this machine, and is reached as `BASE`; README.md has the rest.
@main
enum SmallServiceCommand {
    static func main() async throws {
        let given = ProcessInfo.processInfo.environment
        guard let issuer = given["ISSUER"], let base = given["BASE"], let port = given["PORT"].flatMap({ Int($0) }),
            let client = given["CLIENT_ID"], let secret = given["CLIENT_SECRET"]
        else {
            print("set ISSUER, BASE, PORT, CLIENT_ID and CLIENT_SECRET")
            return
        }
        let hearing = SmallService.Hearing(
            clientID: client, secret: secret, askAfter: given["ASK_AFTER"].flatMap { Double($0) } ?? 90,
            failClosed: given["FAIL_CLOSED"].flatMap { Double($0) } ?? 300)
        try await Transport.withAsyncHTTPClient { transport in
            let service = try SmallService(
                issuer: issuer, base: base, transport: transport, hearing: hearing,
                file: given["STATE"] ?? "greetings.journal")
            do { try await service.catchUp() } catch { print("not heard yet: \(error)") }
            try await service.serve(at: port)
        }
    }
}
