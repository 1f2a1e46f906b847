import Administration
import Base
import Database
import HTTP
import HTTPTypes
import Hummingbird

/// `If-Match` (RFC 9110, 13.1.1) on what changes a thing: the thing is read as its GET reads it, by the transaction of
/// the change.
struct AdminAPIPrecondition: Sendable {
    /// Each is a lock of the database, which has few.
    private static let most = 16

    /// Those of strong comparison (8.8.3.2); `*`, where only its being there counts.
    private let tags: [String]
    private let isAny: Bool
    private let thing: AdminEntry
    private let arguments: JSONObject

    /// `nil` without the header. Throws `preconditionFailed` where there is no thing, so that none is ever changed
    /// against the sender's wish, and `AdminFailure` for what is no list of tags.
    init?(
        _ request: Request, of entry: AdminEntry, _ arguments: JSONObject, in catalog: AdminCatalog
    ) throws {
        let fields = request.headers[values: .ifMatch]
        guard !fields.isEmpty else { return nil }
        guard let tags = EntityTags.strong(fields.joined(separator: ",")) else {
            throw AdminFailure(.usage, "If-Match is a list of entity tags")
        }
        guard tags.count <= AdminAPIPrecondition.most else {
            throw AdminFailure(.usage, "If-Match has at most \(AdminAPIPrecondition.most) entity tags")
        }
        guard let thing = catalog.thing(of: entry) else { throw AdminAPIRefusal.preconditionFailed }
        (self.tags, isAny, self.thing) = (tags, tags == ["*"], thing)
        self.arguments = JSONObject(
            zip(thing.route.parameters, entry.route.parameters).compactMap { theirs, ours in
                arguments[ours].map { (theirs, $0) }
            })
    }

    /// Two who name the same tag follow one another, whatever they call the thing; the second finds another one.
    func check(_ catalog: AdminCatalog, in session: AdminSession) async throws {
        for tag in tags.sorted() {
            let number = NodeID(digestOf: "if-match \(tag)").lockNumber
            _ = try await session.executor.query("select pg_advisory_xact_lock(\(number))")
        }
        let found: AdminResult
        do {
            found = try await catalog.perform(thing, arguments, in: session)
        } catch  where AdminFailure(error).code == .notFound {
            throw AdminAPIRefusal.preconditionFailed
        }
        guard case .object(let object) = found, isAny || tags.contains(AdminAPIAnswer.tag(.object(object))) else {
            throw AdminAPIRefusal.preconditionFailed
        }
    }
}

extension AdminAPIAnswer {
    /// The strong entity tag of what is answered.
    static func tag(_ value: JSONValue) -> String { "\"\(Base64URL.encode(Digest.sha256(value.bytes).prefix(16)))\"" }
}

extension AdminCatalog {
    /// How the thing is read that `entry` is done to: at its own address, or at the one above what is done.
    func thing(of entry: AdminEntry) -> AdminEntry? {
        let path = entry.route.pattern
        return entries.filter { other in
            let place = other.route.pattern
            guard other.words.last == "show", other.route.method == "GET", place.hasSuffix("{}") else { return false }
            guard path != place else { return true }
            return path.hasPrefix(place + "/") && !path.dropFirst(place.count).contains("{")
        }.max { $0.route.path.count < $1.route.path.count }
    }

    /// Where what `entry` made can be read, by its name among what was answered; `nil` where it cannot.
    func location(of made: JSONObject, by entry: AdminEntry, _ arguments: JSONObject) -> String? {
        let place = entry.route.pattern + "/{}"
        guard
            let shown = entries.first(where: {
                $0.words.last == "show" && $0.route.method == "GET" && $0.route.pattern == place
            }), let last = shown.route.parameters.last,
            let name = [last, "id", "client_id", "name"].lazy.compactMap({ made[$0]?.string }).first
        else { return nil }
        let names = entry.route.parameters.compactMap { arguments[$0]?.string } + [name]
        return shown.route.filled(names)
    }
}

extension AdminRoute {
    /// Its path, whatever its parameters are called.
    var pattern: String {
        "/" + path.split(separator: "/").map { $0.hasPrefix("{") ? "{}" : String($0) }.joined(separator: "/")
    }
}
