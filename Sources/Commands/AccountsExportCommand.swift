import Accounts
import Administration
import ArgumentParser
import Base
import Foundation
import OAuth

extension AccountsCommand {
    /// `accounts export`: people as a file that `accounts import` reads.
    struct Export: AdminQuery {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Write accounts as CSV or JSON Lines, oldest first.",
            discussion: """
                What spreadsheets would calculate has an apostrophe in front in CSV; `accounts import` takes it away \
                again. No password stands in it.
                """)

        @Option(help: "Only people of this institution.") var institution: String?
        @Option(help: "csv or jsonl.") var format = "csv"
        @Option(help: "At most this many; all by default on the command line.") var limit: Int?
        @Option(help: "Go on after this account.") var after: String?
        @OptionGroup var common: AdminOptions

        private static let page = 1_000

        func validate() throws {
            guard ["csv", "jsonl"].contains(format) else { throw ValidationError("--format takes csv or jsonl") }
            guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit is a number from 1") }
        }

        /// A page, whatever the format: files are the command line's.
        func answer(_ session: AdminSession) async throws -> AdminResult {
            let limit = min(limit ?? Self.page, 10_000)
            let found = try await people(session, after: try cursor(), limit: limit + 1)
            return .page(found, limit: limit, cursor: \.name, json: { Self.json($0) })
        }

        func run(on runner: AdminRunner) async throws {
            try await runner.run(common) { session in
                let isCSV = format == "csv" && !common.json, output = FileHandle.standardOutput
                if isCSV { try output.write(contentsOf: Data(CSVWriter.line(DirectoryMember.all.map(\.word)).utf8)) }
                var after = try cursor(), left = limit ?? .max
                while left > 0 {
                    let found = try await people(session, after: after, limit: min(left, Self.page))
                    let lines = found.map { person in
                        isCSV
                            ? CSVWriter.line(DirectoryMember.all.map { $0.text(of: person) })
                            : Self.json(person).text + "\n"
                    }
                    try output.write(contentsOf: Data(lines.joined().utf8))
                    guard found.count == Self.page, let last = found.last else { break }
                    (after, left) = (last.id, left - found.count)
                }
            }
        }

        private func cursor() throws -> UUID? {
            try after.map { text in
                guard let id = UUID(uuidString: text) else {
                    throw AdminFailure(.invalid, "--after takes the id of an account")
                }
                return id
            }
        }

        private func people(_ session: AdminSession, after: UUID?, limit: Int) async throws -> [DirectoryPerson] {
            if let visible = session.authority.visible {
                guard let institution, visible.institutions.contains(institution) else {
                    throw AdminFailure(.forbidden, "name an institution of yours: --institution")
                }
            }
            return try await DirectoryStore(clock: session.clock).page(
                in: institution.map { .institution($0) } ?? .federation, after: after, limit: limit,
                in: session.executor)
        }

        private static func json(_ person: DirectoryPerson) -> JSONValue {
            var members = person.account.json.object ?? [:]
            members["institution"] = JSONValue(person.institution)
            members["external_id"] = JSONValue(person.externalID)
            return .object(members)
        }
    }
}
