import Administration
import ArgumentParser
import Base
import Crawler
import Foundation

extension ServicesCommand {
    /// The operator's half of the removal policy (docs/operate.md, "What services publish"): services that published
    /// nothing good for long go as by `services remove`.
    struct Prune: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Remove services that have had no good document for a while, as `services remove` does each.")
        @Option(help: "Days, e.g. 90 or 90d; one at least.") var failedFor: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? {
            "Remove all services without a good document for \(failedFor) from the federation? --dry-run lists them."
        }

        func validate() throws {
            guard days != nil else { throw ValidationError("--failed-for takes days from 1 to 3650, e.g. 90d") }
        }

        private var days: Int? {
            let text = failedFor.hasSuffix("d") ? String(failedFor.dropLast()) : failedFor
            return Int(text).flatMap { (1...3_650).contains($0) ? $0 : nil }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            guard let days else { throw AdminFailure(.usage, "--failed-for takes days from 1 to 3650, e.g. 90d") }
            let since = session.now.addingTimeInterval(-Double(days) * 86_400)
            var removed: [JSONValue] = []
            for id in try await Crawler.failing(since: since, in: session.executor) {
                removed.append(
                    .object(try await ServicesCommand.remove(try await ServicesCommand.find(id, session), session)))
            }
            return [
                "failed_since": .string(since.rfc3339), "removed": .integer(removed.count), "items": .array(removed),
            ]
        }
    }
}
