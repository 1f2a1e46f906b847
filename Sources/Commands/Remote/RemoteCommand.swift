import Administration
import Base
import Foundation
import PandoClient

/// A command that a server runs: its words become a request of the administration API, the answer its result.
struct RemoteCommand: Sendable {
    let server: RemoteServer
    let entry: AdminEntry
    let arguments: JSONObject

    /// Throws `AdminFailure` with the error that the server told.
    func result() async throws -> AdminResult {
        let response = try await server.send(try request())
        guard response.isGood else { throw failure(response) }
        guard let object = (try? JSONReader.read(response.body))?.object else {
            throw AdminFailure(.failed, "the server's answer is not JSON")
        }
        if object.names == ["items", "next"], let items = object["items"]?.array {
            return .list(items, next: object["next"]?.string)
        }
        return .object(object)
    }

    /// The same; where the login is too old for what destroys (RFC 9470), `again` makes a new one first.
    func result(again: (Int?) async throws -> Void) async throws -> AdminResult {
        do { return try await result() } catch let failure as AdminFailure where failure.code == .stepUp {
            try await again(failure.maxAge)
            return try await result()
        }
    }

    func request() throws -> Transport.Request {
        var rest = arguments, names: [String] = []
        for part in entry.route.path.split(separator: "/") where part.hasPrefix("{") {
            let name = String(part.dropFirst().dropLast())
            names.append(rest[name]?.string ?? "")
            rest[name] = nil
        }
        let url = server.api + entry.route.filled(names)
        guard entry.route.method == "GET" else {
            let type: Transport.Header = ("Content-Type", "application/json")
            return Transport.Request(
                method: entry.route.method, url: url, headers: [type], body: JSONValue.object(rest).bytes)
        }
        let query = rest.members.flatMap { name, value in
            (value.array ?? [value]).map { (name, $0.string ?? $0.text) }
        }
        let text = FormCodec.write(query)
        return .get(url + (text.isEmpty ? "" : "?" + text))
    }

    private func failure(_ response: Transport.Response) -> AdminFailure {
        let told = (try? JSONReader.read(response.body))?.object ?? [:]
        let word = told["error"]?.string ?? "", hint = told["hint"]?.string
        let description = told["error_description"]?.string ?? "the server answered \(response.status)"
        if let code = AdminFailure.Code(rawValue: word) {
            let age = told["max_age"].flatMap { $0.integer ?? $0.string.flatMap { Int($0) } }
            let again = code == .stepUp ? "pando login --server \(server.issuer) --max-age \(age ?? 0)" : nil
            return AdminFailure(code, description, hint: hint ?? again, maxAge: age)
        }
        switch word {
        case "invalid_token", "invalid_dpop_proof": return server.loggedOut(description)
        case "insufficient_scope": return AdminFailure(.forbidden, description)
        case "precondition_failed": return AdminFailure(.conflict, description)
        case "too_large", "unsupported_media_type", "method_not_allowed":
            return AdminFailure(.usage, description, hint: hint)
        case "temporarily_unavailable", "slow_down": return AdminFailure(.unavailable, description)
        default: return AdminFailure(response.status >= 502 ? .unavailable : .failed, description)
        }
    }
}

extension AdminRunner {
    /// As `configured`; where `--server` or `PANDO_SERVER` names a server, that one is asked. `line` is what was
    /// written behind `pando admin`.
    public static func configured(line: [String], environment: [String: String]) -> AdminRunner {
        AdminRunner(
            terminal: Terminal.ofProcess,
            remote: { options in
                let named = options.server ?? environment["PANDO_SERVER"] ?? ""
                guard !named.isEmpty else { return nil }
                let showsProgress = isatty(STDERR_FILENO) != 0 && !options.json
                return { try await ask(named, line, environment, progress: ProgressLine(isOn: showsProgress)) }
            }, open: AdminRunner.configured.open)
    }

    private static func ask(
        _ address: String, _ line: [String], _ environment: [String: String], progress: ProgressLine
    ) async throws -> AdminResult {
        let entries = AdminCatalog.ofServer.entries.filter { line.starts(with: $0.words) }
        guard let entry = entries.max(by: { $0.words.count < $1.words.count }) else {
            throw AdminRunner.onServerOnly
        }
        return try await RemoteServer.reporting {
            try await Transport.withAsyncHTTPClient { transport in
                let server = try RemoteServer(
                    address, files: LoginFiles(environment: environment), transport: transport)
                let arguments = try entry.arguments(of: line)
                let again: @Sendable (Int?) async throws -> Void = { maxAge in
                    guard isatty(STDIN_FILENO) != 0, isatty(STDERR_FILENO) != 0 else {
                        throw AdminFailure(
                            .stepUp, "the login is too old for what destroys",
                            hint: "pando login --server \(server.issuer) --max-age \(maxAge ?? 0)", maxAge: maxAge)
                    }
                    try await server.logIn(maxAge: maxAge, show: LoginCommand.tell)
                }
                guard entry.words == RemoteImport.words else {
                    return try await RemoteCommand(server: server, entry: entry, arguments: arguments)
                        .result(again: again)
                }
                return try await RemoteImport(server: server, entry: entry, arguments: arguments, progress: progress)
                    .result(again: again)
            }
        }
    }
}
