import Administration
import ArgumentParser
import Base
import Foundation
import TokenTree

extension AuditCommand {
    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Show a line whole, with its place in the chain.")
        static let route: AdminRoute? = AdminRoute("GET", "/audit/lines/{id}")
        @Argument(help: "Its `id`, as `audit list` tells it.") var id: Int64
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            guard let line = try await AuditProof.line(id, in: session.executor) else {
                throw AdminFailure(.notFound, "there is no line \(id)")
            }
            var shown = line.json
            if let detail = line.json["detail"]?.string, let value = try? JSONReader.read(detail.utf8) {
                shown["detail"] = value
            }
            let proof = try await AuditProof.of(line: id, in: session.executor)
            shown["chain"] = proof.map { .object($0.json) } ?? .null
            return .object(shown)
        }
    }

    struct Prove: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Prove that a node had ended at a time: the line that says so, and how the day's head holds it.",
            discussion: """
                What hung below a virtual node when that line was written was ended by it; what was issued later is \
                another generation, with lines of its own.
                """)
        static let route: AdminRoute? = AdminRoute("GET", "/audit/prove")
        @Argument(help: "A node, as for `tokens revoke`.") var node: String
        @Option(help: "At this moment; RFC 3339.") var at: String
        @Flag(help: "With the digests of the lines between it and the day's head, which tell nothing of them.")
        var path = false
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            guard let time = Date(rfc3339: at) else {
                throw AdminFailure(.invalid, "--at takes RFC 3339, e.g. 2026-11-21T08:00:00Z")
            }
            let (label, line) = try await end(until: time, session)
            guard let proof = try await AuditProof.of(line: line, in: session.executor) else {
                throw AdminFailure(
                    .conflict, "line \(line) says so, and has no place in the chain yet",
                    hint: "a running server gives it one within fifteen seconds; `pando admin audit chain` does now")
            }
            var result: JSONObject = [
                "node": .string(node), "at": .string(time.rfc3339), "ended": true, "cause": .string(label),
                "line": .object(proof.line.json),
            ]
            for (name, value) in proof.json { result[name] = value }
            if path {
                result["path"] = JSONValue(strings: try await proof.path(in: session.executor).map(Hexadecimal.encode))
            }
            return .object(result)
        }

        /// The node that ended it, which may be any above a token, and the line that says so.
        private func end(until time: Date, _ session: AdminSession) async throws -> (String, Int64) {
            let token = try? await NodeName(node, session).token
            var label = await AuditCommand.label(node, session), until = time
            if let token {
                guard
                    let cause = try await AuditProof.cause(
                        in: token.lineage, until: time, in: session.executor)
                else {
                    throw AdminFailure(
                        .notFound,
                        token.expiresAt <= time
                            ? "\(node) expired by itself at \(token.expiresAt.rfc3339): no line says that"
                            : "nothing had ended \(node) at \(time.rfc3339)")
                }
                (label, until) = (cause.label, cause.at)
            }
            guard let line = try await AuditProof.end(of: label, until: until, in: session.executor) else {
                throw AdminFailure(.notFound, "no line says that \(label) had ended at \(time.rfc3339)")
            }
            return (label, line)
        }
    }

    struct Export: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Write whole days of the trail as JSON Lines with their hashes, to be verified elsewhere.",
            discussion: """
                For each day its head, then its lines. examples/verify_audit.py verifies them, with no database. Lines \
                that have no place in the chain yet are not among them.
                """)
        @OptionGroup var days: AuditDayOptions
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        /// Page by page, so that no more than one is in memory; `--limit` is how long these are.
        func run(on runner: AdminRunner) async throws {
            try await runner.run(common) { session in
                var after = try cursor()
                repeat {
                    let page = try await page(after: after, session)
                    AdminOutput.writeLines(page.items.map { .object($0) })
                    after = page.next
                } while after != nil
            }
        }

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let page = try await page(after: try cursor(), session)
            return .list(page.items.map { .object($0) }, next: page.next?.text)
        }

        private func page(
            after cursor: AuditExport.Cursor?, _ session: AdminSession
        ) async throws -> (items: [JSONObject], next: AuditExport.Cursor?) {
            try await AuditExport(in: session.executor).page(
                since: try days.first(), until: try days.last(), after: cursor, limit: list.limit)
        }

        private func cursor() throws -> AuditExport.Cursor? {
            guard let after = list.after else { return nil }
            guard let cursor = AuditExport.Cursor(after) else {
                throw AdminFailure(.invalid, "--after takes what `next` gave")
            }
            return cursor
        }
    }
}
