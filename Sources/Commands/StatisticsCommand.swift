import Administration
import ArgumentParser
import Base
import Foundation

/// `statistics show`: what a process of the IdP has counted every five minutes.
struct StatisticsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statistics", abstract: "Figures of the federation over time.", subcommands: [Show.self])

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Show figures over time, a line for each, with its trend.",
            discussion:
                """
                Of what is so at a moment (tokens that live) the mean of each span, of what happens (logins) how often \
                it did. Five minutes are kept for two days, hours for sixty, days for four hundred. null stands for \
                spans in which nothing was read. tokens.live and tokens.refreshable are estimates where there are many.
                """
        )
        @Option(
            help: "One figure alone.",
            completion: .list(StatisticMetric.shown.map(\.rawValue))) var metric: String?
        @Option(help: "From this moment on, RFC 3339, or so long ago: 90m, 24h, 7d.") var since = "24h"
        @Option(
            help: "How long a span is: by default the shortest that is kept for all of the time.",
            completion: .list(StatisticStep.allCases.map(\.word))) var step: String?
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let now = session.now, since = try Show.moment(since, before: now)
            let metric = try metric.map { word in
                guard let metric = StatisticMetric.shown.first(where: { $0.rawValue == word }) else {
                    throw AdminFailure(
                        .invalid, "there is no figure \(word)",
                        hint: StatisticMetric.shown.map(\.rawValue).joined(separator: ", "))
                }
                return metric
            }
            let step = try step.map { word in
                guard let step = StatisticStep(word: word) else {
                    throw AdminFailure(.invalid, "--step takes 5m, hour or day")
                }
                return step
            }
            let series = try await StatisticStore.read(
                metric, since: since, until: now, step: step ?? .of(age: now.timeIntervalSince(since)),
                in: session.executor)
            return .list(series.map(\.json), next: nil)
        }

        /// As far back as anything is kept.
        private static func moment(_ text: String, before now: Date) throws -> Date {
            let earliest = now.addingTimeInterval(-StatisticStep.day.kept)
            if let date = Date(rfc3339: text), date < now { return max(date, earliest) }
            let units: [Character: TimeInterval] = ["m": 60, "h": 3_600, "d": 86_400]
            guard let letter = text.last, let unit = units[letter], let number = Int(text.dropLast()),
                (1...1_000_000).contains(number)
            else {
                throw AdminFailure(.invalid, "--since takes a moment that is over, RFC 3339, or a time like 24h or 7d")
            }
            return max(now.addingTimeInterval(-TimeInterval(number) * unit), earliest)
        }
    }
}
