import Base
import Foundation
import Vocabulary

/// The issuer of a service that lives at another server, asked over HTTP as the client that the service is there
/// (docs/roles-apart.md). What any outside service asks, by the same doors: events that were missed (docs/events.md),
/// polls (RFC 8936), introspection (RFC 7662), the list of services.
public struct IssuerConnection: Sendable {
    public struct Question: Sendable {
        public let method: String
        public let url: String
        public let headers: [(name: String, value: String)]
        public let body: [UInt8]
        /// Seconds within which the answer is to be there.
        public let within: Int

        public init(
            method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
            within: Int = 5
        ) {
            (self.method, self.url, self.headers, self.body, self.within) = (method, url, headers, body, within)
        }
    }

    public struct Answer: Sendable {
        public let status: Int
        public let body: [UInt8]

        public init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
    }

    public typealias Ask = @Sendable (Question) async throws -> Answer

    /// It does not answer, or not what was asked for. In words for the log; never with a secret.
    public struct Unanswered: Error, CustomStringConvertible {
        public let description: String
        /// The issuer does not know this client, or not by this secret: asking again changes nothing.
        public let isRefusal: Bool
    }

    /// Of stored events in a page: each may be a whole policy.
    static let page = 50
    /// Longer than an issuer holds an empty poll.
    private static let patience = 40

    public let issuer: String
    public let clientID: String
    private let secret: SecretBytes
    private let ask: Ask

    public init(issuer: String, clientID: String, secret: SecretBytes, ask: @escaping Ask) {
        (self.issuer, self.clientID, self.secret, self.ask) = (issuer, clientID, secret, ask)
    }

    /// Events behind a number, settled or not.
    func events(after seq: Int) async throws -> StoredEventPage {
        let url = "\(issuer)/events?after=\(seq)&limit=\(IssuerConnection.page)"
        return try StoredEventPage(try await object(Question(url: url)))
    }

    /// Events that wait; held where there are none. `taken` and `refused` settle those of polls before.
    func poll(
        taken: [String], refused: [(jti: String, code: String, description: String)]
    ) async throws -> [(jti: String, token: String)] {
        var body: JSONObject = ["maxEvents": .integer(IssuerConnection.page), "ack": JSONValue(strings: taken)]
        if !refused.isEmpty {
            body["setErrs"] = .object(
                JSONObject(
                    refused.map { ($0.jti, ["err": .string($0.code), "description": .string($0.description)]) }))
        }
        let answer = try await object(
            Question(
                method: "POST", url: issuer + "/events/poll", headers: [("Content-Type", "application/json")],
                body: JSONValue.object(body).bytes, within: IssuerConnection.patience))
        guard let sets = answer["sets"]?.object else { throw unanswered("the answer to a poll has no sets") }
        return sets.members.compactMap { name, value in value.string.map { (name, $0) } }
    }

    /// What the issuer says of a token of its own, asked about by the service that it is for.
    func introspect(_ token: String) async throws -> JSONObject {
        try await object(
            Question(
                method: "POST", url: issuer + "/introspect",
                headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(FormCodec.write([("token", token)]).utf8)))
    }

    /// A page of the issuer's list of services, asked as this client, so that it may be for members alone.
    public func services(_ query: [(String, String)]) async throws -> JSONObject {
        try await object(
            Question(url: issuer + "/federation/services?" + FormCodec.write(query), within: IssuerConnection.patience))
    }

    /// The body of a 200, authenticated by `client_secret_basic` (RFC 6749, 2.3.1).
    private func object(_ question: Question) async throws -> JSONObject {
        let asked = Question(
            method: question.method, url: question.url, headers: question.headers + [("Authorization", basic)],
            body: question.body, within: question.within)
        let answer: Answer
        do { answer = try await ask(asked) } catch is CancellationError { throw CancellationError() } catch {
            throw unanswered("\(error)")
        }
        guard answer.status == 200 else {
            let told = (try? JSONReader.read(answer.body))?["error_description"]?.string.map { ": \($0.prefix(200))" }
            throw Unanswered(
                description: "\(issuer) answers \(answer.status) to client \(clientID)\(told ?? "")",
                isRefusal: [401, 403].contains(answer.status))
        }
        guard let object = (try? JSONReader.read(answer.body, depth: 64))?.object else {
            throw unanswered("the answer is no JSON object")
        }
        return object
    }

    private var basic: String {
        let pair = secret.expose {
            FormCodec.encode(clientID) + ":" + FormCodec.encode(String(decoding: $0, as: UTF8.self))
        }
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }

    private func unanswered(_ cause: String) -> Unanswered {
        Unanswered(description: "\(issuer): \(cause)", isRefusal: false)
    }
}

/// A page of `GET ISS/events`.
struct StoredEventPage: Sendable {
    /// Security Event Tokens, in order.
    let tokens: [String]
    /// The highest number that was given; where there is no more, everything up to it is in pages read.
    let latest: Int
    let hasMore: Bool

    init(_ answer: JSONObject) throws {
        guard let sets = answer["sets"]?.object, let latest = answer["latest"]?.integer,
            EventReceiver.places.contains(latest), let hasMore = answer["moreAvailable"]?.bool
        else {
            throw IssuerConnection.Unanswered(
                description: "the answer has no sets, latest or moreAvailable", isRefusal: false)
        }
        tokens = sets.members.compactMap { $0.value.string }
        (self.latest, self.hasMore) = (latest, hasMore)
    }
}
