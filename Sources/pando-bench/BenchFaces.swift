import AsyncHTTPClient
import Base
import Foundation

/// Both faces of discovery: the public listing, and the app's question with PAT and proof. Each with usual questions,
/// and with ones that nobody asked before.
struct BenchFaces: Sendable {
    enum Measure: String, CaseIterable {
        case barePublic = "bare answer, public", publicUsual = "public, usual", publicNew = "public, new",
            publicPopular = "public, popular"
        case bareApp = "bare answer, with PAT", profile = "GET /user-profile", appUsual = "with PAT, usual", appNew =
            "with PAT, new"

        func name(of size: Int) -> String { "\(rawValue) (\(size))" }
    }

    /// Proofs made for each second measured.
    private static let abundance = 5_000

    let server: BenchServer
    let seconds: Int
    /// Services in the index.
    let size: Int
    let person: BenchPerson

    /// Neither face has an answer of the other's: each asks of its own families.
    private let forPublic = BenchQuestions(families: 0..<BenchServices.families / 2)
    private let forApp = BenchQuestions(families: BenchServices.families / 2..<BenchServices.families)

    init(server: BenchServer, seconds: Int, size: Int, person: BenchPerson) {
        (self.server, self.seconds, self.size, self.person) = (server, seconds, size, person)
    }

    /// One answer of each face, public first, with the services that it must have.
    func answers() async throws -> [String] {
        let listed = try await ask(
            HTTPClientRequest(url: server.address + BenchQuestions.publicPath(forPublic.usual[0])))
        let found = try await ask(try question(forApp.usual[0]))
        for text in [listed, found] {
            let json = try JSONReader.read(Array(text.utf8))
            let services = json.array ?? json.object?.compactMap { $0.value.array }.first ?? []
            guard services.count == BenchServices.familySize else {
                throw BenchFailure.refused(
                    status: 200, "not the \(BenchServices.familySize) services that were put: \(text.prefix(400))")
            }
        }
        return [listed, found]
    }

    func measureBare(_ urls: [String], _ report: inout BenchReport) async throws {
        for (measure, url) in zip([Measure.barePublic, .bareApp], urls) {
            try await add(measure, beside: nil, .cycling([HTTPClientRequest(url: url)]), &report)
        }
    }

    func measure(_ report: inout BenchReport) async throws {
        BenchProgress.say("\(size) services: the public listing")
        try await add(.publicUsual, beside: .barePublic, .cycling(listings(forPublic.usual)), &report)
        try await add(.publicNew, beside: .barePublic, BenchSupply(listings(forPublic.distinct)), &report)
        try await add(
            .publicPopular, beside: .barePublic,
            .cycling(listings(BenchQuestions.popular, more: "&limit=\(BenchServices.familySize)")), &report)
        BenchProgress.say("\(size) services: questions with a PAT")
        try await add(
            .profile, beside: .bareApp,
            BenchSupply(try proven { _ in server.request(try person.request("GET", "/user-profile")) }), &report)
        let usual = forApp.usual, distinct = forApp.distinct
        try await add(
            .appUsual, beside: .bareApp, BenchSupply(try proven { try question(usual[$0 % usual.count]) }), &report)
        try await add(
            .appNew, beside: .bareApp, BenchSupply(try proven(most: distinct.count) { try question(distinct[$0]) }),
            &report)
    }

    private func add(
        _ measure: Measure, beside ceiling: Measure?, _ supply: BenchSupply, _ report: inout BenchReport
    ) async throws {
        report.rows.append(
            try await server.row(measure.name(of: size), ceiling: ceiling?.name(of: size), for: seconds, supply))
    }

    private func listings(_ questions: [[String]], more: String = "") -> [HTTPClientRequest] {
        questions.map { HTTPClientRequest(url: server.address + BenchQuestions.publicPath($0, more: more)) }
    }

    private func question(_ names: [String]) throws -> HTTPClientRequest {
        server.request(try person.request("POST", "/protocol-discovery", .json(JSONValue(strings: names))))
    }

    /// A proof is good once, and for a minute.
    private func proven(most: Int = .max, _ make: (Int) throws -> HTTPClientRequest) throws -> [HTTPClientRequest] {
        var number = 0
        return try BenchProgress.making(min(most, BenchFaces.abundance * (seconds + 1)), within: .seconds(8)) {
            defer { number += 1 }
            return try make(number)
        }
    }

    private func ask(_ request: HTTPClientRequest) async throws -> String {
        let response = try await server.load.client.execute(request, timeout: .seconds(10))
        let body = String(buffer: try await response.body.collect(upTo: 1 << 16))
        guard response.status == .ok else { throw BenchFailure.refused(status: Int(response.status.code), body) }
        return body
    }
}
