import Base
import Database
import Foundation
import HTTP
import NIOCore
import PandoClient
import Registration
import Server
import TokenTree

/// The requests of the bench of cores, each on as many cores as it is told.
struct BenchCoresRows: Sendable {
    static let sign = "ES256 signatures"
    static let token = "machine token, without its row"
    private static let tokens = 256

    let composition: Composition
    let registry: PrometheusRegistry
    /// A machine: `client_id:client_secret` in Base64.
    let machine: String
    let pinned: BenchPinned
    let counts: [Int]
    /// Parts of the names of rows; none for all.
    let only: [String]

    /// It did not come to what the row is about.
    struct NotRemembered: Error, CustomStringConvertible {
        let description = "introspections were not answered from memory: the lease was not renewed within 30 seconds"
    }

    func rows() async throws -> [BenchRow] {
        let served = DirectResponder(composition.routes(), logger: composition.logger)
        var rows: [BenchRow] = []
        let claims: [String: JSON] = ["iss": "https://idp.example.org", "sub": "machine", "jti": "a token"]
        try await measure(Self.sign, isCeiling: true, &rows) { _ in
            let key = SigningKey()
            return { _ in _ = try key.sign(claims) }
        }
        for (path, name) in [("/.well-known/oauth-authorization-server", "metadata"), ("/jwks.json", "JWKS")] {
            try await ask(served, name, &rows) { [DirectResponder.asked(.get, path)] }
        }
        let introspection = "introspection from memory"
        if isWanted(introspection) {
            let texts = try await issued(by: served)
            @Sendable func asked() -> [DirectResponder.Asked] {
                texts.map { byMachine("/introspect", [("token", $0)]) }
            }
            try await remember(asked(), served)
            try await ask(served, introspection, &rows, asked)
        }
        let alone = DirectResponder(try await tableOfToken(), logger: composition.logger)
        try await ask(alone, Self.token, &rows) {
            [byMachine("/token", [("grant_type", "client_credentials"), ("scope", "read")])]
        }
        return rows
    }

    // MARK: Requests

    private func byMachine(_ path: String, _ form: [(String, String)]) -> DirectResponder.Asked {
        DirectResponder.asked(
            .post, path,
            headers: [
                ("Authorization", "Basic \(machine)"), ("Content-Type", "application/x-www-form-urlencoded"),
            ], body: FormCodec.write(form))
    }

    private func issued(by served: DirectResponder) async throws -> [String] {
        let asked = byMachine("/token", [("grant_type", "client_credentials"), ("scope", "read")])
        var tokens: [String] = []
        for _ in 0..<Self.tokens {
            let answer = try await Self.good(served, asked, over: pinned.seats[0].channel)
            tokens.append(try JSONReader.read(Array(answer.readableBytesView))["access_token"]?.string ?? "")
        }
        return tokens
    }

    /// Asks until the database is asked no more.
    private func remember(_ asked: [DirectResponder.Asked], _ served: DirectResponder) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            let before = fromMemory
            for one in asked {
                let answer = Array(try await Self.good(served, one, over: pinned.seats[0].channel).readableBytesView)
                guard try JSONReader.read(answer)["active"]?.bool == true else {
                    throw BenchFailure.refused(status: 200, String(decoding: answer, as: UTF8.self))
                }
            }
            if fromMemory - before >= Double(asked.count) { return }
            try await Task.sleep(for: .milliseconds(200))
        }
        throw NotRemembered()
    }

    /// Tokens that were found in memory since the process began.
    private var fromMemory: Double {
        let name = "pando_token_lookups_total{source=\"memory\"} "
        let line = registry.page.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Double($0.dropFirst(name.count)) } ?? 0
    }

    /// A table whose token endpoint does all but issue: what issuing gave once is the answer to all.
    private func tableOfToken() async throws -> RouteTable {
        let words = String(decoding: Data(base64Encoded: machine) ?? Data(), as: UTF8.self).split(separator: ":")
        guard let idp = composition.idp, let id = words.first.map(String.init) else { throw BenchFailure.notServing }
        let issued = try await composition.store.issue(below: [.epoch, Ancestor(.client, id)]) { generations in
            let body = TokenBody(
                realm: idp.realm.id, kind: .accessToken, parent: nil, anchor: generations[1], client: id,
                scope: "read", claims: TokenClaims(audience: idp.realm.base))
            return TokenDraft(body, inherited: [], added: generations, lifetime: 3_600)
        }
        let clients = composition.clients, root = composition.settings.root
        let endpoint = Endpoint(.post, "/token", "Token endpoint, whose rows are all the same one") {
            request, context in
            let parameters = try await BodyReading.parameters(request)
            let client = try await clients.authenticate(
                request.presented(root, context), parameters, remembered: true)
            guard client?.id == id else { throw BenchFailure.notServing }
            return Answer.json(try await idp.writer.respond(issued).json)
        }
        return RouteTable(
            root: root, services: [HostedService("bench", endpoints: [endpoint])], database: composition.database,
            nonces: composition.nonces)
    }

    // MARK: Measuring

    private func isWanted(_ name: String) -> Bool {
        only.isEmpty || name == Self.sign || only.contains(where: name.contains)
    }

    @discardableResult private static func good(
        _ served: DirectResponder, _ asked: DirectResponder.Asked, over channel: any Channel
    ) async throws -> ByteBuffer {
        let answer = try await served.answer(asked, over: channel)
        guard answer.status == 200 else {
            throw BenchFailure.refused(status: answer.status, String(buffer: answer.body))
        }
        return answer.body
    }

    /// Different requests in turn. Each seat makes its own, and begins at another one.
    private func ask(
        _ served: DirectResponder, _ name: String, _ rows: inout [BenchRow],
        _ asked: @escaping @Sendable () -> [DirectResponder.Asked]
    ) async throws {
        let seats = pinned.seats.count
        try await measure(name, isCeiling: false, &rows) { seat in
            let own = asked(), first = own.count * seat.number / seats
            return { try await Self.good(served, own[(first + $0) % own.count], over: seat.channel) }
        }
    }

    private func measure(
        _ name: String, isCeiling: Bool, _ rows: inout [BenchRow],
        _ make: @escaping @Sendable (BenchPinned.Seat) async throws -> BenchPinned.Turn
    ) async throws {
        guard isWanted(name) else { return }
        BenchProgress.say(name)
        var rates: [(cores: Int, turns: BenchPinned.Turns)] = []
        for count in counts {
            let before = try await BenchCounters(registry, composition.database)
            let turns = try await pinned.measure(by: count, make)
            var cost = try await BenchCounters(registry, composition.database).cost(since: before, requests: turns.all)
            cost.serverCPU = turns.cpu * 1e6
            rates.append((count, turns))
            rows.append(
                BenchRow(
                    name: "\(name), \(Self.words(count))", value: turns.perSecond, unit: .perSecond,
                    ceiling: isCeiling ? nil : "\(Self.sign), \(Self.words(count))", cost: cost))
        }
        if let least = rates.first, least.turns.perSecond > 0 {
            for rate in rates.dropFirst() {
                let scale = "\(Self.words(rate.cores)) by \(least.cores)"
                let byCPU = Double(rate.cores) / Double(least.cores) * least.turns.cpu / rate.turns.cpu
                for (what, value) in [
                    (scale, rate.turns.perSecond / least.turns.perSecond), (scale + " of CPU", byCPU),
                ] {
                    rows.append(
                        BenchRow(
                            name: "\(name), \(what)", value: value, unit: .times,
                            ceiling: isCeiling ? nil : "\(Self.sign), \(what)"))
                }
            }
        }
        for rate in rates {
            let words = Self.words(rate.cores)
            rows += [
                BenchRow(name: "\(name), waits by 1,000, \(words)", value: rate.turns.waits, unit: .count),
                BenchRow(name: "\(name), of the cores' time, \(words)", value: rate.turns.share, unit: .times),
            ]
        }
    }

    static func words(_ cores: Int) -> String { cores == 1 ? "1 core" : "\(cores) cores" }
}
