import Administration
import Base
import Database
import Foundation
import HTTPTypes
import Vocabulary

/// What a change answered, so that it can be answered again.
struct AdminAPIAnswer: Sendable {
    let status: Int
    let location: String?
    let body: JSONObject

    init(status: Int, location: String?, body: JSONObject) {
        (self.status, self.location, self.body) = (status, location, body)
    }

    fileprivate init(stored json: JSONValue) {
        status = json["status"]?.integer ?? 200
        (location, body) = (json["location"]?.string, json["body"]?.object ?? [:])
    }

    fileprivate var stored: JSONValue {
        ["status": .integer(status), "location": JSONValue(location), "body": .object(body)]
    }
}

/// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07): a change that is asked for again under the same
/// key is done once, and answered alike for a day. Key and change are written by one transaction, so there is never one
/// without the other; a change that was refused leaves no key, and may be tried again under it.
struct IdempotencyKeys: Sendable {
    static let kept: TimeInterval = 86_400

    /// It was done under this key before.
    struct Done: Error { let answer: AdminAPIAnswer }

    /// A key of one caller, and what they ask for under it.
    struct Asked: Sendable {
        fileprivate let id: [UInt8]
        /// What it is.
        fileprivate let request: String

        /// `nil` without the header. `arguments` are of a path, and a body, whose members' order says nothing.
        init?(_ fields: [String], of caller: String, _ route: AdminRoute, _ arguments: JSONObject) throws {
            guard let field = fields.first else { return nil }
            guard fields.count == 1, let key = Asked.key(field) else {
                throw AdminFailure(.usage, "Idempotency-Key is one string of 1 to 255 printable characters of ASCII")
            }
            id = Digest.sha256("\(caller)\u{0}\(key)")
            let sorted = JSONObject(arguments.members.sorted { $0.name < $1.name }.map { ($0.name, $0.value) })
            request = "\(route.method) \(route.path)\u{0}\(JSONValue.object(sorted).text)"
        }

        /// A string of RFC 9651 (3.3.3), or the same without its quotes, as most write it.
        private static func key(_ field: String) -> String? {
            let isQuoted = field.count >= 2 && field.hasPrefix("\"") && field.hasSuffix("\"")
            let text = isQuoted ? String(field.dropFirst().dropLast()) : field
            let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
            return isPlain && (1...255).contains(text.utf8.count) ? text : nil
        }
    }

    /// Seals what is kept.
    let key: MasterKey

    /// Throws `Done` for what was done before. Whoever asks while another transaction is at it is told so, and nobody
    /// waits.
    func claim(_ asked: Asked, in executor: any SQLExecutor) async throws {
        let number = NodeID(digestOf: "idempotency \(Base64URL.encode(asked.id))").lockNumber
        let held = try await executor.query("select pg_try_advisory_xact_lock(\(number)) as held").first
        guard let isHeld: Bool = try held?("held"), isHeld else {
            throw AdminFailure(
                .conflict, "a request with this Idempotency-Key is under way", hint: "ask again in a moment")
        }
        if let answer = try await answer(to: asked, in: executor) { throw Done(answer: answer) }
    }

    /// `nil` for what was not done yet. Throws `AdminFailure` where the key was another request's.
    func answer(to asked: Asked, in executor: any SQLExecutor) async throws -> AdminAPIAnswer? {
        guard
            let row = try await executor.query(
                "select fingerprint, answer from admin_answer where id = \(asked.id)"
            ).first
        else { return nil }
        guard try row("fingerprint", as: [UInt8].self) == fingerprint(asked) else {
            throw AdminFailure(.invalid, "this Idempotency-Key was used for another request", hint: "take a fresh one")
        }
        let text = try key.open(try row("answer"), row: IdempotencyKeys.row(asked)).expose { $0 }
        return AdminAPIAnswer(stored: try JSONReader.read(text))
    }

    /// Under a key: a request may hold a password, which a bare digest would let be tried out.
    private func fingerprint(_ asked: Asked) -> [UInt8] {
        Digest.hmac(key: key.derive("idempotency"), asked.request.utf8)
    }

    func keep(
        _ answer: AdminAPIAnswer, of asked: Asked, at now: Date, in executor: any SQLExecutor
    ) async throws {
        let sealed = try key.seal(SecretBytes(answer.stored.bytes), row: IdempotencyKeys.row(asked))
        _ = try await executor.execute(
            """
            insert into admin_answer (id, fingerprint, answer, created_at)
            values (\(asked.id), \(fingerprint(asked)), \(sealed), \(now))
            """)
    }

    func forget(at now: Date, in executor: any SQLExecutor) async throws {
        let until = now.addingTimeInterval(-IdempotencyKeys.kept)
        _ = try await executor.execute("delete from admin_answer where created_at < \(until)")
    }

    private static func row(_ asked: Asked) -> String { "admin_answer \(Base64URL.encode(asked.id))" }
}
