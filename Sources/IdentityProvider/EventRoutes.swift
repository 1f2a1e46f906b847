import Base
import Federation
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// Events of the federation, fetched by the service that they are for (docs/events.md).
enum EventRoutes {
    static func endpoints(_ idp: AuthorizationServer, _ polls: EventPolls) -> [Endpoint] {
        [
            Endpoint(.post, "/events/poll", "Events that wait for the service that asks (RFC 8936)") {
                request, context in
                guard let body = try await BodyReading.json(request).object else {
                    throw OAuthError(.invalidRequest, "the body must be a JSON object")
                }
                let service = try await idp.serviceAuthentication.require(
                    request.presented(idp.realm.base, context), credentials(body), scopes: scopes)
                let poll = try PollBody(body).poll
                return Answer.json(
                    .object(try await WatchedAnswer.untilShutdown { try await polls.answer(poll, of: service) }))
            }.telling(
                EndpointShape(
                    body: "EventPoll", answer: "EventSets",
                    about: "Waits up to \(EventPolls.longestWait) seconds for an event, unless told to return at once.",
                    isBodyNeeded: true, security: .byService)),
            Endpoint(.get, "/events", "Events again that the service was told or is to be told: after, limit") {
                request, context in
                let service = try await idp.serviceAuthentication.require(
                    request.presented(idp.realm.base, context), nil, scopes: scopes)
                let query = try stored(request)
                let (answer, waited) = try await WatchedAnswer.untilShutdown {
                    try await polls.stored(query, for: service)
                }
                var headers: HTTPFields = [.cacheControl: "no-store"]
                if let waited { headers[.preferenceApplied] = "wait=\(waited)" }
                return Answer.json(.object(answer), headers: headers)
            }.telling(
                EndpointShape(
                    query: ["after:integer", "since:integer", "limit:integer"], headers: ["Prefer"],
                    answer: "EventSets",
                    meanings: [
                        "after": "Events whose number is above this; 0 by default.",
                        "since": "Events that were made then or later, in seconds since 1970.",
                        "limit": "At most so many, 1 to \(EventPolls.mostStored).",
                        "Prefer": "`wait=30`: seconds for which the answer may be held while nothing is above `after`.",
                    ], security: .byService)),
        ]
    }

    /// The last second that a date is written with (RFC 3339).
    private static let lastSecond = 253_402_300_799

    private static func stored(_ request: Request) throws -> StoredEventsQuery {
        let query = try QueryItems(request)
        let since: Date? =
            try query.one("since") == nil
            ? nil : Date(numericDate: try number(query, "since", 0...lastSecond, fallback: 0))
        return StoredEventsQuery(
            after: try number(query, "after", 0...Int(Int64.max), fallback: 0), since: since,
            limit: try number(query, "limit", 1...EventPolls.mostStored, fallback: 100),
            wait: WatchedAnswer.preferredWait(request.headers[values: .prefer]))
    }

    static let schemas = [
        OpenAPISchema(
            "EventPoll", "RFC 8936, 2.2; client_assertion and client_assertion_type where the service has a key.",
            [
                "maxEvents:integer": "At most so many; 0 only acknowledges.",
                "returnImmediately:boolean": "Does not wait where there is none.",
                "ack:[string]": "The jti of each event that was taken.",
                "setErrs:object": "By jti, what is wrong with an event: {\"err\", \"description\"}.",
                "client_assertion_type": "RFC 7523, 2.2.", "client_assertion": "A JWT by the service's key.",
            ], example: ["maxEvents": 10, "returnImmediately": true, "ack": ["S5W-oEJtIrVwGp1ArMPXRg"]]),
        OpenAPISchema(
            "EventSets", "Security Event Tokens (RFC 8417).",
            [
                "sets:object!": "Each by its jti, the oldest first.",
                "moreAvailable:boolean!": "There are more than this answer has.",
                "latest:integer": "Of stored events: the highest number that was given when they were read.",
            ], example: ["sets": [:], "moreAvailable": false]),
    ]

    private static let scopes = [ServiceScope.events.rawValue]

    /// The members that authenticate; the poll's own are no text, most of them.
    private static func credentials(_ body: JSONObject) -> Vocabulary.OAuthParameters {
        Vocabulary.OAuthParameters(
            json: body.filtered { ["client_id", "client_assertion", "client_assertion_type"].contains($0) })
    }

    private static func number(
        _ query: QueryItems, _ name: String, _ range: ClosedRange<Int>, fallback: Int
    ) throws -> Int {
        guard let text = try query.one(name) else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw OAuthError(
                .invalidRequest, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// The members of a poll (RFC 8936, 2.2), checked.
struct PollBody {
    let poll: EventPoll

    init(_ body: JSONObject) throws {
        poll = EventPoll(
            maxEvents: try PollBody.count(body), returnImmediately: try PollBody.flag(body, "returnImmediately"),
            acknowledged: try PollBody.acknowledged(body), errors: try PollBody.errors(body))
    }

    private static func wrong(_ what: String) -> OAuthError { OAuthError(.invalidRequest, what) }

    private static func member(_ body: JSONObject, _ name: String) -> JSONValue? {
        guard let value = body[name], value != .null else { return Optional.none }
        return value
    }

    private static func count(_ body: JSONObject) throws -> Int? {
        guard let value = member(body, "maxEvents") else { return nil }
        guard let count = value.integer, count >= 0 else {
            throw wrong("maxEvents must be a whole number from 0 on")
        }
        return count
    }

    private static func flag(_ body: JSONObject, _ name: String) throws -> Bool {
        guard let value = member(body, name) else { return false }
        guard let flag = value.bool else { throw wrong("\(name) must be true or false") }
        return flag
    }

    private static func acknowledged(_ body: JSONObject) throws -> [String] {
        guard let value = member(body, "ack") else { return [] }
        guard let names = value.strings else { throw wrong("ack must be an array of strings") }
        return names
    }

    private static func errors(_ body: JSONObject) throws -> [(jti: String, error: String)] {
        guard let value = member(body, "setErrs") else { return [] }
        guard let errors = value.object else { throw wrong("setErrs must be an object") }
        return try errors.members.map { jti, error in
            guard let code = error["err"]?.string, !code.isEmpty else {
                throw wrong("each member of setErrs must be an object with err")
            }
            return (jti, error["description"]?.string.map { "\(code): \($0)" } ?? code)
        }
    }
}
