import Base
import Foundation
import Keys
import PandoClient
import Simulators
import TokenTree

/// Requests of grants, each good once and made beforehand: of one person on one phone, with a proof each.
struct BenchGrants: Sendable {
    /// Made for each second measured.
    private static let abundance = 2_500
    private static let makers = 32

    let server: BenchServer
    let seconds: Int
    let person: BenchPerson

    private var count: Int { BenchGrants.abundance * (seconds + 1) }

    /// Each of a family of its own, below the person's instance.
    func rotations() async throws -> [DemoRequest] {
        let store = server.composition.store
        guard let id = try Keys.JWT(person.token).string("jti").flatMap({ NodeID($0) }),
            let row = try await store.find(id)
        else { throw BenchFailure.notServing }
        let draft = TokenDraft(row.body, inherited: Array(row.lineage.dropLast()), lifetime: 3_600, refresh: .init())
        let tokens = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<BenchGrants.makers {
                group.addTask {
                    var made: [String] = []
                    for _ in 0...(count / BenchGrants.makers) {
                        made.append(try await store.issue(draft).refreshToken ?? "")
                    }
                    return made
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        var left = tokens[...]
        return try BenchProgress.making(tokens.count, within: .seconds(8)) {
            try proven("/token", [("grant_type", "refresh_token"), ("refresh_token", left.popFirst() ?? "")])
        }
    }

    /// An assertion for one service, by a personal access token.
    func assertions() throws -> [DemoRequest] {
        try BenchProgress.making(count, within: .seconds(8)) {
            let form = [("response_type", "code"), ("resource", server.issuer + "/services/viewer")]
            return try person.request("POST", "/authorization", .form(form))
        }
    }

    private func proven(_ path: String, _ form: [(String, String)]) throws -> DemoRequest {
        let url = server.issuer + path
        return DemoRequest(
            method: "POST", url: url, headers: [("DPoP", try person.holder.proof("POST", url))], body: .form(form))
    }
}
