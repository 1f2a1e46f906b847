import Base
import Database
import Foundation

/// Rows of `statistic`. One process of all writes a span's figures, once it is over; what is old becomes less detailed,
/// then goes. Nothing is written for the time in which no process ran: that is a gap, not nothing.
public struct StatisticStore: Sendable {
    static let place = "statistics"
    /// Spans that one round makes of shorter ones: who was off for long goes on with the next round.
    static let mostSpans = 200

    private let database: Database
    private let clock: WallClock
    private let sources = StatisticSources()

    public init(database: Database, clock: WallClock) { (self.database, self.clock) = (database, clock) }

    /// Until cancelled. A reading that fails is a gap, of which `failed` is told.
    public func run(failed: @Sendable (any Error) -> Void) async {
        while !Task.isCancelled {
            do {
                try await take()
                try await tidy()
            } catch {
                failed(error)
            }
            // A little behind the end of a span, so that what was written at its end is there.
            let now = clock.now(), span = StatisticStep.fiveMinutes
            let next = span.start(of: now).addingTimeInterval(span.length + 10)
            try? await Task.sleep(for: .seconds(min(span.length, max(1, next.timeIntervalSince(now)))))
        }
    }

    /// Writes the figures of the span that is over; false where that is done already, by whatever process.
    @discardableResult
    public func take() async throws -> Bool {
        let span = StatisticStep.fiveMinutes, end = span.start(of: clock.now()),
            start = end.addingTimeInterval(-span.length)
        return try await database.transaction { transaction in
            // Who comes at the same time waits here, and finds it done.
            let rows = try await transaction.query(
                """
                insert into setting as s (name, value, changed_at) values (\(Self.place), '{}', \(end))
                on conflict (name) do update set changed_at = excluded.changed_at
                    where s.changed_at < excluded.changed_at
                returning s.value
                """)
            guard let value = try rows.first.map({ try $0("value", as: JSONValue.self) }) else { return false }
            let read = try await sources.read(from: start, to: end, after: .init(value), in: transaction)
            let figures = read.figures + [.init(metric: .taken, label: "", value: 1)]
            _ = try await transaction.batch([
                """
                insert into statistic (step, bucket, metric, label, value)
                select \(span.rawValue), \(start), w.metric, w.label, w.value
                from unnest(\(figures.map(\.metric.rawValue)), \(figures.map(\.label)), \(figures.map(\.value)))
                    as w (metric, label, value)
                on conflict do nothing
                """,
                "update setting set value = \(read.place.json) where name = \(Self.place)",
            ])
            return true
        }
    }

    /// Makes hours of five minutes and days of hours where they are old enough, each in one statement, and drops what
    /// is older than all.
    public func tidy() async throws {
        for step in StatisticStep.allCases {
            if let next = step.next {
                // Whole spans of the next step alone.
                let limit = next.start(of: clock.now().addingTimeInterval(-step.kept))
                _ = try await database.execute(
                    """
                    with old as (
                        delete from statistic s where s.step = \(step.rawValue) and s.bucket < least(\(limit), (
                            select date_bin(\(next.rawValue) * interval '1 second', min(o.bucket), 'epoch')
                                + \(Self.mostSpans * next.rawValue) * interval '1 second'
                            from statistic o where o.step = \(step.rawValue)))
                        returning s.bucket, s.metric, s.label, s.value
                    )
                    insert into statistic as s (step, bucket, metric, label, value)
                    select \(next.rawValue), date_bin(\(next.rawValue) * interval '1 second', o.bucket, 'epoch'),
                        o.metric, o.label, sum(o.value)
                    from old o group by 2, 3, 4
                    on conflict (step, bucket, metric, label) do update set value = s.value + excluded.value
                    """)
            } else {
                _ = try await database.execute(
                    """
                    delete from statistic where step = \(step.rawValue)
                        and bucket < \(clock.now().addingTimeInterval(-step.kept))
                    """)
            }
        }
    }

    // MARK: Reading

    /// The figures of a metric that were taken last.
    public static func latest(
        _ metric: StatisticMetric, in executor: any SQLExecutor
    ) async throws -> [(label: String, value: Double)] {
        let step = StatisticStep.fiveMinutes.rawValue
        return try await executor.query(
            """
            select s.label, s.value from statistic s where s.step = \(step) and s.metric = \(metric.rawValue)
                and s.bucket = (select max(l.bucket) from statistic l where l.step = \(step))
            """
        ).map { (try $0("label"), try $0("value")) }
    }

    private static let plausible = 0...1e15

    /// Figures since a moment, in spans of `step`; of all metrics that people look at, or of one.
    public static func read(
        _ metric: StatisticMetric?, since: Date, until: Date, step: StatisticStep, in executor: any SQLExecutor
    ) async throws -> [StatisticSeries] {
        let first = step.start(of: since), names = metric.map { [$0.rawValue, StatisticMetric.taken.rawValue] }
        let rows = try await executor.query(
            """
            select date_bin(\(step.rawValue) * interval '1 second', s.bucket, 'epoch') as start, s.metric, s.label,
                sum(s.value) as total
            from statistic s
            where s.step in (300, 3600, 86400) and s.step <= \(step.rawValue)
                and s.bucket >= \(first) and s.bucket < \(until)
                and (\(names)::text[] is null or s.metric = any (\(names)))
            group by 1, 2, 3
            """)
        let count = max(1, min(5_000, Int((until.timeIntervalSince(first) / step.length).rounded(.up))))
        var taken = [Double](repeating: 0, count: count), totals: [StatisticSeries.Name: [Double]] = [:]
        for row in rows {
            let start: Date = try row("start"), place = Int(start.timeIntervalSince(first) / step.length)
            guard taken.indices.contains(place), let metric = StatisticMetric(rawValue: try row("metric")) else {
                continue
            }
            let total: Double = try row("total")
            // What nobody counted, in a row that somebody wrote, is not shown.
            guard plausible.contains(total) else { continue }
            if metric == .taken {
                taken[place] = total
            } else {
                let name = StatisticSeries.Name(metric: metric, label: try row("label"))
                totals[name, default: [Double](repeating: 0, count: count)][place] += total
            }
        }
        return totals.keys.sorted().map { name in
            StatisticSeries(
                name, since: first, step: step,
                values: zip(totals[name] ?? [], taken).map { total, taken in
                    // Where nothing was read nothing is known.
                    taken < 1 ? nil : name.metric.isState ? total / taken : total
                })
        }
    }
}
