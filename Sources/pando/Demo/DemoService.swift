import Administration
import ArgumentParser
import Base
import PandoClient
import Server
import SmallService

/// `pando demo service`: the service of `examples/SmallService`, to try things with.
struct DemoService: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Start a small service of your own on this machine, to try things with.",
        discussion: """
            It takes assertions of one issuer, greets by the name that the federation releases, and hears of what has \
            ended. It keeps nothing: started anew it knows no token. Its source is in examples/SmallService.
            """)

    @OptionGroup var options: DemoOptions
    @Option(help: ArgumentHelp("Where it listens on 127.0.0.1.", valueName: "port")) var port = 7070

    func validate() throws {
        guard (1...65_535).contains(port) else { throw ValidationError("--port takes a port") }
    }

    func run() async throws {
        let values = try await options.configuration.values(), issuer = try options.address(values)
        let base = "http://127.0.0.1:\(port)"
        StepPrinter.write(next(base, issuer) + "\n")
        try await Transport.withAsyncHTTPClient { transport in
            let service = try SmallService(issuer: issuer, base: base, transport: transport)
            try await service.serve(at: port)
        }
    }

    private func next(_ base: String, _ issuer: String) -> String {
        let pando = CommandLine.arguments[0]
        guard !options.json else {
            return JSONValue.object(["base": .string(base), "issuer": .string(issuer)]).text
        }
        return """

            Greetings serves at \(base), and trusts \(issuer)

            Enter it in that federation, in the folder of `make run`:
              \(pando) admin services add \(base) --name Greetings --id greetings --claim name --allow-loopback
              \(pando) admin services approve greetings
              \(pando) admin crawl run greetings

            Then look at it:
              \(pando) admin services check greetings
              \(pando) check-service \(base) --allow-private --issuer \(issuer) --demo

            Or without a federation, started with --issuer http://127.0.0.1:7071:
              \(pando) check-service \(base) --allow-private --own-issuer 7071

            Ctrl-C stops it.
            """
    }
}
