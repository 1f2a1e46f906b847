import Base
import HTTPTypes
import Hummingbird
import ServiceLifecycle

/// A GET whose answer may be held until what it tells has changed: `Prefer: wait=N` (RFC 7240, 4.3), `ETag` and
/// `If-None-Match` (design/backoffice.md, tiqr).
public enum WatchedAnswer {
    static let longest = 60

    /// What waits is cancelled when the server shuts down: then it tells what it has.
    public static func untilShutdown<Answer: Sendable>(
        _ wait: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer { try await cancelWhenGracefulShutdown(wait) }

    /// `now` is the state at arrival; `later` waits until it is no longer of this tag, at most so many seconds, and
    /// gives the state at the end.
    ///
    /// Waited is for a state other than the sender's, or than the one at arrival where it names none; a final state is
    /// told at once. At the end, 304 to whoever named the state that it still is. A server that shuts down lets nobody
    /// wait.
    public static func respond<State: WatchedState>(
        _ request: Request, now: State,
        later: @escaping @Sendable (_ tag: String, _ seconds: Int) async throws -> State
    ) async throws -> Response {
        let seconds = preferredWait(request.headers[values: .prefer])
        let isConditional = request.headers[.ifNoneMatch] != nil
        var state = now
        if let seconds, seconds > 0, !now.isFinal, !isConditional || EntityTags.match(request, quoted(now.etag)) {
            state = try await cancelWhenGracefulShutdown { try await later(now.etag, seconds) }
        }
        var headers: HTTPFields = [.eTag: quoted(state.etag), .cacheControl: "no-store"]
        if let seconds { headers[.preferenceApplied] = "wait=\(seconds)" }
        if isConditional, EntityTags.match(request, quoted(state.etag)) {
            return Response(status: .notModified, headers: headers)
        }
        return Answer.json(state.json, headers: headers)
    }

    private static func quoted(_ tag: String) -> String { "\"\(tag)\"" }

    /// At most `longest`; `nil` where none is asked for, or what stands there is no number of seconds.
    public static func preferredWait(_ fields: [String]) -> Int? {
        for preference in fields.joined(separator: ",").split(separator: ",") {
            guard let named = preference.split(separator: ";", omittingEmptySubsequences: false).first else { continue }
            let parts = named.split(separator: "=", maxSplits: 1).map {
                String($0).filter { ![" ", "\t", "\""].contains($0) }
            }
            // The first of several counts (RFC 7240, 2).
            guard parts.count == 2, parts[0].lowercased() == "wait" else { continue }
            return Int(parts[1]).flatMap { $0 >= 0 ? min($0, longest) : nil }
        }
        return nil
    }
}

extension HTTPField.Name {
    public static let prefer = named("Prefer")
    public static let preferenceApplied = named("Preference-Applied")
}

/// Something that is waited for: an enrollment or an authentication.
public protocol WatchedState: Sendable {
    /// Without quotes.
    var etag: String { get }
    var json: JSONValue { get }
    /// No other state can follow.
    var isFinal: Bool { get }
}
