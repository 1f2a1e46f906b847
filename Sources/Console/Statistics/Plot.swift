import Administration
import Foundation
import Pages

/// One figure over time, drawn without script: curves of states, bars of what happens, with axes, a legend and a table
/// that says the same in numbers.
struct Plot: Sendable {
    struct Shape: Sendable { let style: String, d: String }
    struct Bar: Sendable { let style: String, x: String, y: String, width: String, height: String }
    struct Tick: Sendable { let x: Int, y: String, text: String, anchor: String }
    struct Key: Sendable { let style: String, label: String, value: String, isCurve: Bool }
    struct Row: Sendable { let at: String, values: [String] }

    /// Of one figure so many are drawn; the others are one.
    static let mostSeries = 5
    private static let tableRows = 31
    private static let left = 44.0, right = 356.0, top = 8.0, bottom = 150.0

    let id: String, title: String, isEstimate: Bool, unit: String
    let curves: [Shape], bars: [Bar], levels: [Tick], times: [Tick], keys: [Key]
    let heads: [String], rows: [Row]

    /// `nil` where nothing was ever read.
    init?(_ metric: StatisticMetric, _ series: [StatisticSeries], _ language: Language) {
        let words = language.statistics
        guard let sample = series.first, series.contains(where: { $0.values.contains { $0 != nil } }) else {
            return nil
        }
        let named = Plot.folded(series, other: words.other)
        id = "plot-" + metric.rawValue.replacing(".", with: "-")
        let metricTitle = words.metrics[metric.rawValue] ?? metric.rawValue
        (title, isEstimate) = (metricTitle, metric.isEstimate)
        unit = words.units[metric.unit] ?? metric.unit
        let count = sample.values.count
        let most = Plot.most(named.map(\.values), isState: metric.isState)
        let (high, steps) = Plot.scale(most)
        func y(_ value: Double) -> Double { Plot.bottom - (Plot.bottom - Plot.top) * value / high }
        let width = (Plot.right - Plot.left) / Double(max(1, count))
        if metric.isState {
            curves = named.enumerated().map { index, one in
                Shape(style: "s\(index)", d: Plot.path(one.values, width: width, y: y))
            }
            bars = []
        } else {
            curves = []
            bars = Plot.bars(named.map(\.values), width: width, y: y)
        }
        levels = (0...steps).map { step in
            let value = high * Double(step) / Double(steps)
            return Tick(x: 38, y: Plot.text(y(value)), text: Plot.number(value), anchor: "end")
        }
        times = Plot.times(sample, words: words)
        keys = named.enumerated().map { index, one in
            let known = one.values.compactMap(\.self)
            let value = metric.isState ? known.last : known.reduce(0, +)
            return Key(
                style: "s\(index)", label: Plot.label(one.label, metric, words, title: metricTitle),
                value: value.map(Plot.number) ?? "–", isCurve: metric.isState)
        }
        heads = keys.map(\.label)
        rows = Plot.rows(named.map(\.values), sample, isState: metric.isState)
    }

    /// The highest point: of bars, of all that stand on top of each other.
    private static func most(_ series: [[Double?]], isState: Bool) -> Double {
        var most = 0.0
        for place in (series.first ?? []).indices {
            let known = series.compactMap { $0[place] }
            most = max(most, isState ? known.max() ?? 0 : known.reduce(0, +))
        }
        return most
    }

    private struct Named { let label: String, values: [Double?] }

    /// The largest ones, and the sum of the others.
    private static func folded(_ series: [StatisticSeries], other: String) -> [Named] {
        let sorted = series.sorted { ($0.sum, $1.name.label) > ($1.sum, $0.name.label) }.filter {
            $0.sum > 0 || series.count == 1
        }
        let all = sorted.isEmpty ? Array(series.prefix(1)) : sorted
        guard all.count > mostSeries else { return all.map { Named(label: $0.name.label, values: $0.values) } }
        let shown = all.prefix(mostSeries - 1), rest = all.dropFirst(mostSeries - 1)
        let sums = (rest.first?.values ?? []).indices.map { place -> Double? in
            let known = rest.compactMap { $0.values[place] }
            return known.isEmpty ? nil : known.reduce(0, +)
        }
        return shown.map { Named(label: $0.name.label, values: $0.values) } + [Named(label: other, values: sums)]
    }

    private static func path(_ values: [Double?], width: Double, y: (Double) -> Double) -> String {
        var path = "", isOn = false
        for (place, value) in values.enumerated() {
            guard let value else {
                isOn = false
                continue
            }
            let x = left + width * (Double(place) + 0.5)
            // A lone value between gaps is a dot.
            path += "\(isOn ? "L" : "M")\(text(x)) \(text(y(value)))" + (isOn ? "" : "h.1")
            isOn = true
        }
        return path
    }

    /// On top of each other.
    private static func bars(_ series: [[Double?]], width: Double, y: (Double) -> Double) -> [Bar] {
        var bars: [Bar] = []
        for place in (series.first ?? []).indices {
            var sum = 0.0
            for (index, values) in series.enumerated() {
                guard let value = values[place], value > 0 else { continue }
                let low = y(sum), high = y(sum + value)
                bars.append(
                    Bar(
                        style: "s\(index)", x: text(left + width * Double(place)), y: text(high),
                        width: text(max(width * 0.86, 0.6)), height: text(low - high)))
                sum += value
            }
        }
        return bars
    }

    /// The highest level and into how many parts it falls: 1, 2 or 5 times a power of ten each.
    static func scale(_ most: Double) -> (high: Double, steps: Int) {
        guard most > 0, most.isFinite else { return (1, 1) }
        let power = pow(10, floor(log10(most / 4)))
        let part = [1, 2, 5, 10].map { $0 * power }.first { $0 * 4 >= most } ?? 10 * power
        // Nothing happens half a time.
        let whole = max(part, most <= 4 ? 1 : part)
        let steps = max(1, Int((most / whole).rounded(.up)))
        return (whole * Double(steps), steps)
    }

    private static func times(_ series: StatisticSeries, words: SharedStrings<StatisticStrings>) -> [Tick] {
        let count = series.values.count, span = Double(count) * series.step.length
        return [0.0, 0.5, 1.0].map { part in
            let time = series.since.addingTimeInterval(span * part)
            let x = Int((left + (right - left) * part).rounded())
            let anchor = part == 0 ? "start" : part == 1 ? "end" : "middle"
            return Tick(x: x, y: "166", text: moment(time, isDay: span > 2 * 86_400), anchor: anchor)
        }
    }

    /// The day of the year 2026-11-26, or its hour; UTC.
    static func moment(_ time: Date, isDay: Bool) -> String {
        let text = time.formatted(.iso8601)
        return isDay ? String(text.prefix(10)) : String(text.dropFirst(11).prefix(5))
    }

    private static func rows(_ series: [[Double?]], _ sample: StatisticSeries, isState: Bool) -> [Row] {
        let count = sample.values.count, size = max(1, (count + tableRows - 1) / tableRows)
        return stride(from: 0, to: count, by: size).map { first in
            let time = sample.since.addingTimeInterval(Double(first) * sample.step.length)
            let values = series.map { values -> String in
                let known = values[first..<min(first + size, count)].compactMap(\.self)
                guard !known.isEmpty else { return "–" }
                let sum = known.reduce(0, +)
                return number(isState ? sum / Double(known.count) : sum)
            }
            return Row(at: "\(moment(time, isDay: true)) \(moment(time, isDay: false))", values: values)
        }
    }

    private static func label(
        _ label: String, _ metric: StatisticMetric, _ words: SharedStrings<StatisticStrings>, title: String
    ) -> String {
        guard !label.isEmpty else { return title }
        let known = words.labels["\(metric.rawValue):\(label)"] ?? words.labels[label]
        return known ?? ShownText.tidy(label, limit: 60) ?? "?"
    }

    /// 950, 1.2k, 34M; one digit behind the point where it says something.
    static func number(_ value: Double) -> String {
        let units: [(Double, String)] = [(1e9, "G"), (1e6, "M"), (1e3, "k")]
        for (size, unit) in units where value >= size { return short(value / size) + unit }
        return short(value)
    }

    private static func short(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return value >= 100 || rounded == rounded.rounded() ? String(Int(value.rounded())) : String(rounded)
    }

    private static func text(_ value: Double) -> String { String((value * 100).rounded() / 100) }

    static let template = """
        <section class="plot" aria-labelledby="{{id}}"><h2 id="{{id}}">{{title}}</h2>
        <p class="quiet">{{unit}}{{#isEstimate}}, {{words.estimate}}{{/isEstimate}}</p>
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 172" role="img" aria-labelledby="{{id}}">
        {{#levels}}<path class="axis" d="M44 {{y}}H356"/><text x="{{x}}" y="{{y}}" dy="4" \
        text-anchor="{{anchor}}">{{text}}</text>{{/levels}}
        {{#times}}<text x="{{x}}" y="{{y}}" text-anchor="{{anchor}}">{{text}}</text>{{/times}}
        {{#bars}}<rect class="bar {{style}}" x="{{x}}" y="{{y}}" width="{{width}}" height="{{height}}"/>{{/bars}}
        {{#curves}}<path class="curve {{style}}" d="{{d}}"/>{{/curves}}</svg>
        <ul class="legend">{{#keys}}<li><svg viewBox="0 0 28 12" aria-hidden="true">{{#isCurve}}\
        <path class="curve {{style}}" d="M1 6H27"/>{{/isCurve}}{{^isCurve}}<rect class="bar {{style}}" x="6" y="0" \
        width="16" height="12"/>{{/isCurve}}</svg><span><bdi>{{label}}</bdi> <b>{{value}}</b></span></li>
        {{/keys}}</ul>
        <details><summary>{{words.table}}<span class="unseen"> {{title}}</span></summary>
        <div class="scroll" role="region" tabindex="0" aria-label="{{title}}">
        <table class="numbers"><thead><tr><th scope="col">{{words.time}}</th>{{#heads}}\
        <th scope="col"><bdi>{{.}}</bdi></th>{{/heads}}</tr></thead><tbody>
        {{#rows}}<tr><th scope="row">{{at}}</th>{{#values}}<td>{{.}}</td>{{/values}}</tr>
        {{/rows}}</tbody></table></div></details></section>
        """
}
