import Administration
import Base
import Foundation
import Hummingbird
import Pages
import TokenTree

/// `/admin`: the federation at a glance, for who sees all of it; numbers of their own for everybody else.
struct OverviewPage: Sendable {
    struct Count: Sendable { let label: String, value: String, href: String? }
    struct Setback: Sendable { let text: String, href: String }
    struct RangeLink: Sendable { let href: String, label: String, isShown: Bool }

    /// How far back, in which spans curves and bars are drawn.
    enum Range: String, CaseIterable, Sendable {
        case day, week, months, year

        var length: TimeInterval {
            switch self {
            case .day: 86_400
            case .week: 7 * 86_400
            case .months: 60 * 86_400
            case .year: 400 * 86_400
            }
        }
        var curves: StatisticStep {
            switch self {
            case .day: .fiveMinutes
            case .week: .hour
            case .months, .year: .day
            }
        }
        var bars: StatisticStep { self == .day ? .hour : .day }
    }

    let words: SharedStrings<StatisticStrings>
    let title: String, setback: Setback?, hasFigures: Bool, ranges: [RangeLink], plots: [Plot], isEmpty: Bool
    let counts: [Count]

    static func answer(_ request: ConsoleRequest) async throws -> Response {
        let range = try request.browser.parameters["range"].flatMap(Range.init) ?? .day
        let session = request.admin, now = session.now
        var series: [StatisticSeries]?
        if try await request.permits(["statistics", "show"]) {
            let since = now.addingTimeInterval(-range.length)
            let curves = try await StatisticStore.read(
                nil, since: since, until: now, step: range.curves, in: session.executor)
            let bars = try await StatisticStore.read(
                nil, since: since, until: now, step: range.bars, in: session.executor)
            series = curves.filter(\.name.metric.isState) + bars.filter { !$0.name.metric.isState }
        }
        let counts = try await OwnCounts(of: session.authority.visible, in: session.executor)
        var shown: [(noun: String, count: Int, href: String?)] = []
        for (noun, count) in counts.counts {
            let words = [noun, "list"]
            shown.append((noun, count, try await request.permits(words) ? CatalogPages.path(words) : nil))
        }
        let words = ["epoch", "show"]
        var setback: Setback?
        if try await request.permits(words), try await TokenTree.Setback.standing(in: session.executor) != nil {
            setback = Setback(text: request.language.statistics.setback, href: CatalogPages.path(words))
        }
        let overview = OverviewPage(request.language, range, series, counts: shown, setback: setback)
        let page = ConsolePage(request, title: overview.title, active: "/admin")
        return page.answer("overview", of: .explorer, overview)
    }

    /// `series` is `nil` for who sees no figures of the whole.
    init(
        _ language: Language, _ range: Range, _ series: [StatisticSeries]?,
        counts: [(noun: String, count: Int, href: String?)], setback: Setback? = nil
    ) {
        let words = language.statistics
        (self.words, title, self.setback) = (words, words.title, setback)
        hasFigures = series != nil
        ranges = Range.allCases.map {
            RangeLink(
                href: "/admin?range=\($0.rawValue)", label: words.range[$0.rawValue] ?? $0.rawValue,
                isShown: $0 == range)
        }
        let byMetric = Dictionary(grouping: series ?? []) { $0.name.metric }
        plots = StatisticMetric.shown.compactMap { metric in
            byMetric[metric].flatMap { Plot(metric, $0, language) }
        }
        isEmpty = hasFigures && plots.isEmpty
        self.counts = counts.map {
            Count(label: words.counts[$0.noun] ?? $0.noun, value: Plot.number(Double($0.count)), href: $0.href)
        }
    }

    static let template = """
        <h1>{{title}}</h1>
        {{#setback}}<p class="secret" role="alert"><a href="{{href}}">{{text}}</a></p>
        {{/setback}}<dl class="figures">{{#counts}}<div><dt>{{#.href}}<a href="{{.}}">{{/.href}}{{label}}{{#.href}}</a>\
        {{/.href}}</dt><dd>{{value}}</dd></div>
        {{/counts}}</dl>
        {{^hasFigures}}<p class="quiet">{{words.own}}</p>{{/hasFigures}}
        {{#hasFigures}}<p class="lead">{{words.lead}}</p>
        <nav class="ranges" aria-label="{{words.ranges}}">{{#ranges}}<a href="{{href}}"{{#isShown}} \
        aria-current="page"{{/isShown}}>{{label}}</a>
        {{/ranges}}</nav>
        {{#isEmpty}}<p class="empty">{{words.none}}</p>{{/isEmpty}}
        <div class="plots">{{#plots}}{{> plot}}
        {{/plots}}</div>{{/hasFigures}}
        """
}
