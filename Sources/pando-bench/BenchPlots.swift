import Foundation

/// A report as pictures: bars of what a request costs, of rates, and of ratios.
struct BenchPlots {
    private static let own = "#5b8db8", second = "#7fae7f", other = "#c9c9c9"

    let report: BenchReport

    /// Its own pictures, or its ratios by the name of the bench.
    func write(named bench: String, to folder: URL) throws {
        try BenchPicture.write(report.pictures.isEmpty ? [ratios(named: bench)] : report.pictures, to: folder)
    }

    /// Microseconds of CPU of server and PostgreSQL for each request; behind it rate and ratio to the ceiling.
    var requests: BenchPicture {
        let bars = report.rows.compactMap { row -> BarChart.Bar? in
            guard let server = row.cost?.serverCPU, server > 0 else { return nil }
            let postgres = row.cost?.postgresCPU ?? 0
            let ratio = report.ratio(of: row).map { String(format: ", %.2f of its ceiling", $0) } ?? ""
            return BarChart.Bar(
                label: row.name, parts: [(server, Self.own), (postgres, Self.second)],
                note: String(format: "%.0f + %.0f µs, %.0f/s", server, postgres, row.value) + ratio)
        }
        return BenchPicture(
            name: "requests",
            svg: BarChart(title: "CPU of one request: server (blue) and PostgreSQL (green)", groups: [bars]).svg)
    }

    /// Rates beside those of other servers; none where no others were measured.
    var peers: [BenchPicture] {
        let groups = BenchPeers.Question.allCases.compactMap { question -> [BarChart.Bar]? in
            let name = question.rawValue, others = report.rows.filter { $0.name.hasPrefix(name + ": ") }
            guard let own = report.value(of: name), !others.isEmpty else { return nil }
            return [bar("\(name): Pando", own, Self.own)]
                + others.map { bar(String($0.name.dropFirst(name.count + 2)), $0.value, Self.other) }
        }
        guard !groups.isEmpty else { return [] }
        return [
            BenchPicture(
                name: "peers", svg: BarChart(title: "Requests a second, one run, one machine", groups: groups).svg)
        ]
    }

    /// Rates on so many cores, each row a group.
    func cores(_ counts: [Int]) -> BenchPicture {
        let first = report.rows.filter { $0.unit == .perSecond }.compactMap { row -> String? in
            let ending = ", " + BenchCoresRows.words(counts[0])
            return row.name.hasSuffix(ending) ? String(row.name.dropLast(ending.count)) : nil
        }
        let groups = first.map { name in
            counts.compactMap { count -> BarChart.Bar? in
                let words = BenchCoresRows.words(count)
                guard let rate = report.value(of: "\(name), \(words)") else { return nil }
                let times = report.value(of: "\(name), \(words) by \(counts[0])")
                return bar(
                    count == counts[0] ? "\(name), \(words)" : words, rate, Self.own,
                    times.map { String(format: ", %.2f ×", $0) } ?? "")
            }
        }
        return BenchPicture(
            name: "cores", svg: BarChart(title: "Requests a second of the server alone, by cores", groups: groups).svg)
    }

    /// Each value by that of the line which it is compared with.
    private func ratios(named name: String) -> BenchPicture {
        let bars = report.rows.compactMap { row in
            report.ratio(of: row).map { ratio in
                BarChart.Bar(
                    label: row.name, parts: [(ratio, Self.own)],
                    note: String(format: "%.2f of: %@", ratio, row.ceiling ?? ""))
            }
        }
        return BenchPicture(name: name, svg: BarChart(title: "\(name): value by that of", groups: [bars]).svg)
    }

    private func bar(_ label: String, _ rate: Double, _ color: String, _ more: String = "") -> BarChart.Bar {
        BarChart.Bar(label: label, parts: [(rate, color)], note: String(format: "%.0f/s", rate) + more)
    }
}
