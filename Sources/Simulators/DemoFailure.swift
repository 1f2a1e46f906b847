/// Why the demo cannot go on, and what the one who started it can do.
public enum DemoFailure: Error, CustomStringConvertible {
    case unreachable(String, cause: String)
    case anotherIssuer(asked: String, says: String)
    case noCredentials(String)
    case noPassword(String)
    case noClient(String)
    case refused(DemoExchange)
    case unexpected(DemoExchange, String)
    case notDiscovered(String)
    /// A step of the demo sent nothing.
    case nothingAsked
    /// What an operator does needs the server's database.
    case noOperator(String)
    case survived(String, seconds: Int, service: String)

    public var description: String {
        switch self {
        case .unreachable(let issuer, let cause): "no server answers at \(issuer) (\(cause))"
        case .anotherIssuer(let asked, let says): "the server at \(asked) is called \(says)"
        case .noCredentials(let file): "there is no key of the demo app: \(file) cannot be read"
        case .noPassword(let username): "the demo does not know the password of \(username)"
        case .noClient(let file): "there is no client of a demo service in \(file)"
        case .refused(let exchange):
            """
            \(exchange.request.method) \(exchange.request.path) was refused: \(exchange.status) \
            \(exchange.error ?? "")
            """
                + (exchange.errorDescription.map { ", \($0)" } ?? "")
        case .unexpected(let exchange, let what):
            "\(exchange.request.method) \(exchange.request.path) answered \(exchange.status), but \(what)"
        case .notDiscovered(let name): "no service of this federation offers \(name)"
        case .nothingAsked: "the demo sent nothing where it should have"
        case .noOperator(let cause): "nothing can be done here as its operator: \(cause)"
        case .survived(let token, let seconds, let service):
            "\(token) still lives \(seconds) s after the revocation: \(service) has not heard of it"
        }
    }

    /// What to do about it.
    public var hint: String {
        switch self {
        case .unreachable: "start it with `make run`, or name another with --issuer"
        case .anotherIssuer(_, let says): "say --issuer \(says)"
        case .noCredentials:
            """
            `make run` (or `pando dev`) makes it: run the demo in the same folder, or set PANDO_STATE_DIRECTORY to \
            the server's
            """
        case .noPassword: "send it with --password-stdin"
        case .noClient:
            """
            restart `make run` (or `pando dev`), which makes one; or say --client, with one that `pando admin \
            clients create` made as docs/tiqr.md and docs/operations.md have it
            """
        case .refused(let exchange): DemoFailure.hint(exchange)
        case .unexpected, .nothingAsked:
            "is this a Pando of the same version? `curl` the same address to see; --curl prints the line"
        case .notDiscovered:
            "the server must run the roles viewer and crawler; `pando admin crawl status` says how the crawler fares"
        case .noOperator:
            """
            run it where `pando admin` works: in the folder of `make run`,
                or with the server's PANDO_DATABASE and its master key
            """
        case .survived: "see `pando admin events status`: it says what is not delivered yet, and why"
        }
    }

    private static func hint(_ exchange: DemoExchange) -> String {
        switch exchange.error {
        case "access_denied": "check --username and the password; `pando dev` prints those of the demo's people"
        case "invalid_client":
            """
            the database may be of another life than demo.json: restart `pando dev`, which makes them agree, and \
            look at `pando admin apps versions list ch.pando.demo`
            """
        case "invalid_target":
            "the server must run the role of that service; `pando admin services list` says which it knows"
        case "invalid_dpop_proof": "compare this machine's clock with the server's"
        case "slow_down", "temporarily_unavailable": "wait a moment and try again"
        default: "the server's log says more; `--curl` prints the requests"
        }
    }
}
