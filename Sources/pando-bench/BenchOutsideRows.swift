import AsyncHTTPClient
import Base
import Database
import Foundation
import PandoClient
import Registration
import Server
import Simulators
import Vocabulary

/// The requests of the outside bench, each a line beside what it cannot pass.
struct BenchOutsideRows: Sendable {
    /// Made for each second measured where a request is good once.
    private static let abundance = 6_000
    private static let tokensRevoked = 12_000

    let server: BenchServer
    let served: ServedProcess
    let wrk: Wrk
    let seconds: Int
    /// Parts of the names of rows; none for all.
    let only: [String]
    /// Takes a picture of each row.
    let flames: URL?
    let folder: URL

    var database: Database { server.composition.database }
    private var client: HTTPClient { server.load.client }

    /// `bare` is made as long as an introspection's answer.
    func run(_ bare: BareAnswers, _ report: inout BenchReport) async throws {
        let check = BenchCheck(server: server, seconds: seconds), introspections = try await check.introspections()
        let bytes = try await check.answer(to: introspections[0])
        bare.say([String(decoding: bytes, as: UTF8.self)])
        BenchProgress.say("documents and checks")
        try await again([DemoRequest(method: "GET", url: bare.urls[0])], BenchOutsideCeilings.answer, [], &report)
        let bareAnswer = [BenchOutsideCeilings.answer]
        for (path, name) in [("/.well-known/oauth-authorization-server", "metadata"), ("/jwks.json", "JWKS")] {
            try await again([DemoRequest(method: "GET", url: server.issuer + path)], name, bareAnswer, &report)
        }
        try await again(
            [DemoRequest(method: "GET", url: server.issuer + "/federation/services")], "discovery without token",
            bareAnswer, &report)
        try await again(introspections, "introspection", bareAnswer, &report)
        try await once(
            try await check.profiles(), "user profile with DPoP", bareAnswer + [BenchOutsideCeilings.verify], &report)

        BenchProgress.say("tokens")
        let machine = [("grant_type", "client_credentials"), ("scope", "read")]
        let issued = bareAnswer + [BenchOutsideCeilings.sign, BenchOutsideCeilings.batch]
        try await again([server.byMachine("/token", machine)], "machine token, secret", issued, &report)
        try await once(
            try await signed(machine), "machine token, private_key_jwt", issued + [BenchOutsideCeilings.verify],
            &report)
        let issuer = try await AuthorizationServer.discover(server.issuer, transport: server.transport)
        try await once(
            try BenchIssue(server: server, seconds: seconds).registrations(
                at: issuer, of: try server.version.appVersion()),
            "register an app instance", issued + [BenchOutsideCeilings.verify, BenchOutsideCeilings.verify], &report)

        BenchProgress.say("a person's tokens")
        let person = try await BenchPerson.loggedIn(server)
        let grants = BenchGrants(server: server, seconds: seconds, person: person)
        let proven = issued + [BenchOutsideCeilings.verify]
        try await once(try await grants.rotations(), "refresh", proven, &report)
        try await once(try grants.assertions(), "assertion for a service", proven, &report)
        try await once(try grants.exchanges(), "token exchange", proven, &report)
        try await once(try await grants.redemptions(), "assertion redeemed at a service", proven, &report)
        let twice = [BenchOutsideCeilings.sign, BenchOutsideCeilings.batch]
        try await once(try await grants.codes(), "code with PKCE", issued + twice, &report)
        try await measurePhones(&report)
        try await measurePasswords(&report)

        BenchProgress.say("revocations")
        let tokens = try await liveTokens(count: Self.tokensRevoked * (seconds + 1))
        let asked = tokens.map { server.byMachine("/introspect", [("token", $0)]) }
        try await once(asked, "introspection, first of a token", bareAnswer + [BenchOutsideCeilings.verify], &report)
        try await once(
            tokens.map { server.byMachine("/revoke", [("token", $0)]) }, "revocation of a token",
            bareAnswer + [BenchOutsideCeilings.batch], &report)
        try await again(Array(asked.prefix(256)), "introspection of a dead token", bareAnswer, &report)
        let ended: Int =
            try await database.query("select count(*) as n from revocation where label like 'token:%'").first.map {
                try $0("n")
            } ?? 0
        guard ended > 0 || !isWanted("revocation of a token") else { throw BenchFailure.lives("nothing was revoked") }
        let memory = served.memory / 1_048_576
        report.rows.append(BenchRow(name: "memory of the server", value: memory, unit: .mebibytes))
    }

    // MARK: Requests

    /// A machine of its own that signs its assertions.
    private func signed(_ form: [(String, String)]) async throws -> [DemoRequest] {
        let key = SigningKey(), jwk = key.jwk, composition = server.composition
        var draft = WebClientDraft(
            name: "bench signer", authMethod: .privateKeyJWT, grantTypes: ["client_credentials"], scope: "read")
        draft.jwks = [
            "keys": [
                [
                    "kty": "EC", "crv": "P-256", "kid": JSONValue(BenchSigner.kid), "alg": "ES256", "use": "sig",
                    "x": JSONValue(jwk["x"]?.string), "y": JSONValue(jwk["y"]?.string),
                ]
            ]
        ]
        let clients = WebClientStore(clock: composition.clock, randomness: composition.randomness)
        let id = try await clients.create(draft, in: database).0.id
        return try BenchSigner(client: id, key: key, audience: server.issuer).requests(
            Self.abundance * (seconds + 1), to: server.issuer + "/token", form)
    }

    /// Live tokens of the machine: rows are copies of one that was issued, of its shape and in its partition, and each
    /// has a JWT of its own that says as much as is looked at.
    private func liveTokens(count: Int) async throws -> [String] {
        let answer = try await server.send(
            server.byMachine("/token", [("grant_type", "client_credentials"), ("scope", "read")]))
        let row = try await database.query(
            "select id from token where kind = 'access_token' order by issued_at desc limit 1")
        guard answer.isGood, let sample: NodeID = try row.first?("id") else { throw BenchFailure.notServing }
        let prefix = sample.description.prefix(14) + "8000-8000-"
        let rows = try await database.query(
            """
            insert into token (id, realm, kind, family, anchor, lineage, issued_at, expires_at, client, scope, detail)
            select made.id, t.realm, t.kind, made.id, t.anchor,
                t.lineage[:cardinality(t.lineage) - 1] || made.id, t.issued_at, t.expires_at, t.client, t.scope,
                t.detail
            from token t, lateral (
                select (\(String(prefix)) || lpad(n::text, 12, '0'))::uuid as id
                    from generate_series(1, \(count)::integer) n
            ) made
            where t.id = \(sample)
            returning id
            """)
        _ = try await database.execute("analyze token")
        var tokens: [String] = []
        for row in rows {
            let id: NodeID = try row("id")
            tokens.append(
                try await server.composition.keys.sign(
                    type: JWTType.accessToken.rawValue,
                    claims: ["iss": .string(server.issuer), "jti": .string(id.description)]))
        }
        return tokens
    }

    // MARK: Measuring

    func isWanted(_ name: String) -> Bool {
        only.isEmpty || name == BenchOutsideCeilings.answer || only.contains(where: name.contains)
    }

    private func again(
        _ requests: [DemoRequest], _ name: String, _ ceilings: [String], _ report: inout BenchReport
    ) async throws {
        guard isWanted(name) else { return }
        try await measure(try wrk.write(requests, areSpent: false), at: requests[0].url, name, ceilings, &report)
    }

    /// How many were answered.
    @discardableResult func once(
        _ made: @autoclosure () async throws -> [DemoRequest], _ name: String, _ ceilings: [String],
        _ report: inout BenchReport
    ) async throws -> Int {
        guard isWanted(name) else { return 0 }
        let requests = try await made()
        return try await measure(try wrk.write(requests, areSpent: true), at: requests[0].url, name, ceilings, &report)
    }

    @discardableResult private func measure(
        _ requests: Wrk.Requests, at url: String, _ name: String, _ ceilings: [String], _ report: inout BenchReport
    ) async throws -> Int {
        let address = url.hasPrefix(server.issuer) ? served.address : url
        let warmUp = try await wrk.run(requests, at: address, from: 0, seconds: 1)
        let backend: Int = try await database.query("select pg_backend_pid() as pid").first.map { try $0("pid") } ?? 0
        let before = try await BenchCounters(page: try await served.page(client), database)
        let (cpu, postgres) = (served.cpu, ProcessTimes.postgres(besides: backend))
        async let flame = flame(url.hasPrefix(server.issuer))
        let result = try await wrk.run(requests, at: address, from: warmUp.taken, seconds: seconds)
        let count = Double(result.requests)
        let (cpuAfter, postgresAfter) = (served.cpu, ProcessTimes.postgres(besides: backend))
        let after = try await BenchCounters(page: try await served.page(client), database)
        guard warmUp.failures == 0, result.failures == 0 else {
            throw BenchFailure.wrk(
                "\(name): \(warmUp.failures + result.failures) answers were not 2xx, or did not come")
        }
        var cost = after.cost(since: before, requests: result.requests)
        cost.serverCPU = (cpuAfter - cpu) / count * 1e6
        cost.postgresCPU = (postgresAfter - postgres) / count * 1e6
        var row = BenchRow(
            name: name, value: result.perSecond, unit: .perSecond, p50: result.p50, p99: result.p99, cost: cost)
        if let flames, let flame = try await flame { try await draw(flame, row, in: flames) }
        if let ceiling = ceiling(of: ceilings, in: report) {
            if ceilings.count > 1, report.value(of: ceiling.name) == nil { report.rows.append(ceiling) }
            row.ceiling = ceiling.name
        }
        report.rows.append(row)
        return warmUp.requests + result.requests
    }

    private func flame(_ isServed: Bool) async throws -> BenchFlame? {
        guard isServed, flames != nil else { return nil }
        return try await BenchFlame.record(served.process, seconds: max(1, seconds - 1), in: folder)
    }

    private func draw(_ flame: BenchFlame, _ row: BenchRow, in flames: URL) async throws {
        let name = row.name.lowercased().replacing(",", with: "").replacing(" ", with: "-")
        let cost = row.cost?.serverCPU.map { String(format: "%.0f µs of the server's CPU each", $0) } ?? ""
        let picture = flame.svg(
            title: "\(row.name): \(Int(row.value))/s, \(cost)", demangled: try await flame.demangled(in: folder))
        try FileManager.default.createDirectory(at: flames, withIntermediateDirectories: true)
        try Data(picture.utf8).write(to: flames.appendingPathComponent("\(name).svg"))
    }

    /// What takes as long as all of these, one after the other.
    private func ceiling(of names: [String], in report: BenchReport) -> BenchRow? {
        let values = names.compactMap { report.value(of: $0) }.filter { $0 > 0 }
        guard !values.isEmpty, values.count == names.count else { return nil }
        return BenchRow(
            name: names.joined(separator: " + "), value: 1 / values.reduce(0) { $0 + 1 / $1 }, unit: .perSecond)
    }
}
