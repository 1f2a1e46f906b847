import Base
import HTTPTypes
import Synchronization
import Testing

/// Holds each answer of the services of phones, wallets and discovery, whichever test asked for it, against what
/// `/openapi.yaml` tells of its operation: a member that is missing, of another type, or that nobody told of is an
/// issue of that test.
public struct AnswersAsTold: Sendable {
    /// What operations have below. Services that tests bring along tell of themselves what they like.
    private static let watched = [
        "/services/tiqr/", "/services/operations/", "/attestation/", "/assertion/", "/auth/", "/protocol-discovery",
    ]

    /// Descriptions that somebody read, few since reading one takes a while. What is told of an operation is the same
    /// in all servers that have it.
    private static let remembered = Mutex<[AnswersAsTold]>([])

    private let api: DescribedAPI
    /// Templates by method, in segments.
    private let paths: [String: [(template: String, segments: [Substring])]]

    public init(_ api: DescribedAPI) {
        self.api = api
        var paths: [String: [(template: String, segments: [Substring])]] = [:]
        for place in api.operations.keys.sorted() {
            let words = place.split(separator: " ", maxSplits: 1)
            guard words.count == 2, Self.isWatched(words[1]) else { continue }
            paths[String(words[0]), default: []].append(
                (template: String(words[1]), segments: words[1].split(separator: "/")))
        }
        self.paths = paths
    }

    private static func isWatched(_ path: some StringProtocol) -> Bool { watched.contains { path.hasPrefix($0) } }

    /// `describe` reads the description of the server that answered, where what is remembered has no such operation.
    static func look(
        at reply: Reply, _ method: HTTPRequest.Method, _ path: String, describe: () async throws -> Reply
    ) async throws {
        let place = path.prefix { $0 != "?" }
        guard isWatched(place), reply[header: "Content-Type"]?.hasPrefix("application/json") == true else { return }
        let name = method.rawValue.lowercased(), isDone = (200..<300).contains(reply.status)
        for known in remembered.withLock({ $0 }) {
            if let template = known.template(name, place) { return known.complain(reply, name, template) }
        }
        // A refusal may be that there is no such place.
        guard isDone else { return }
        let read = AnswersAsTold(try DescribedAPI(try await describe().body))
        remembered.withLock { $0.append(read) }
        guard let template = read.template(name, place) else {
            Issue.record("\(name) \(place) answers \(reply.status), and nobody told of it in /openapi.yaml")
            return
        }
        read.complain(reply, name, template)
    }

    /// Of several that fit, that with the fewest parameters.
    public func template(_ method: String, _ path: some StringProtocol) -> String? {
        let asked = path.split(separator: "/")
        let fitting = (paths[method] ?? []).filter { candidate in
            candidate.segments.count == asked.count
                && zip(candidate.segments, asked).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        return fitting.min { Self.parameters($0.segments) < Self.parameters($1.segments) }?.template
    }

    private static func parameters(_ segments: [Substring]) -> Int { segments.count { $0.hasPrefix("{") } }

    /// Refusals that anything may meet on its way, below an operation, need not be told by each.
    public func faults(_ reply: Reply, _ method: String, _ template: String) -> [String] {
        let answers = api[method, template]?.answers ?? [:]
        let isTold = answers["\(reply.status)"] != nil || answers["default"] != nil
        guard isTold || (200..<300).contains(reply.status) else { return [] }
        return api.faults(reply, method, template)
    }

    private func complain(_ reply: Reply, _ method: String, _ template: String) {
        let found = faults(reply, method, template)
        guard !found.isEmpty else { return }
        Issue.record("\(method) \(template) answers \(reply.status) otherwise than told: \(found); \(reply.body)")
    }
}
