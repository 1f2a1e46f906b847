import Foundation
import Metrics
import TestSupport
import Testing

@testable import HTTP
@testable import Server

@Suite("the page of metrics")
struct MetricsTextTests {
    private func counter(_ name: String, _ labels: [(String, String)], in registry: PrometheusRegistry) {
        Counter(label: name, dimensions: labels, factory: registry).increment()
    }

    @Test("each family is described, in words that both formats write alike, and named as Prometheus wants it")
    func described() {
        let names = MetricFamily.all.map(\.name)

        #expect(Set(names).count == names.count)
        for family in MetricFamily.all {
            #expect(family.help.hasSuffix(".") && !family.help.contains { "\\\"\n".contains($0) }, "\(family.name)")
            #expect(family.name.wholeMatch(of: #/[a-z][a-z0-9_]*/#) != nil, "\(family.name)")
            #expect((family.kind == .counter) == family.name.hasSuffix("_total"), "\(family.name)")
            #expect(family.unit.isEmpty || family.familyName.hasSuffix("_" + family.unit), "\(family.name)")
            #expect((family.kind == .histogram) == !family.buckets.isEmpty, "\(family.name)")
            #expect(family.buckets == family.buckets.sorted(), "\(family.name)")
        }
    }

    @Test("whatever the sources measure is in the list, and the list holds nothing that they do not measure")
    func complete() throws {
        var measured: Set<String> = []
        for folder in ["Sources", "crawler"] {
            let root = Checkout.folder(folder)
            let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
            for case let file as URL in files
            where file.pathExtension == "swift" && file.lastPathComponent != "MetricFamilies.swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: #/"((?:pando|process)_[a-z_]+)"/#)
                where MetricFamily.named(String(match.1)) != nil || text.contains("label: \(match.0)") {
                    measured.insert(String(match.1))
                }
            }
        }

        #expect(measured == Set(MetricFamily.all.map(\.name)))
    }

    @Test("a histogram's buckets hold all that is smaller, and the infinite one everything")
    func histogram() {
        let registry = PrometheusRegistry()
        let sizes = Recorder(label: "pando_group_commit_size", dimensions: [("of", "tokens")], factory: registry)
        for size in [1, 3, 300] { sizes.record(size) }

        let page = registry.page

        #expect(page.contains("# TYPE pando_group_commit_size histogram\n"))
        #expect(page.contains(#"pando_group_commit_size_bucket{of="tokens",le="1.0"} 1"# + "\n"))
        #expect(page.contains(#"pando_group_commit_size_bucket{of="tokens",le="4.0"} 2"# + "\n"))
        #expect(page.contains(#"pando_group_commit_size_bucket{of="tokens",le="+Inf"} 3"# + "\n"))
        #expect(page.contains(#"pando_group_commit_size_sum{of="tokens"} 304.0"# + "\n"))
        #expect(page.contains(#"pando_group_commit_size_count{of="tokens"} 3"# + "\n"))
    }

    @Test("OpenMetrics names a counter without _total, tells the unit and ends; Prometheus' own text does neither")
    func formats() {
        let registry = PrometheusRegistry()
        registry.set("process_cpu_seconds_total", 1.5)

        let (open, plain) = (registry.page(.openMetrics), registry.page(.prometheus))

        #expect(open.contains("# TYPE process_cpu_seconds counter\n# UNIT process_cpu_seconds seconds\n"))
        #expect(open.contains("\nprocess_cpu_seconds_total 1.5\n") && open.hasSuffix("\n# EOF\n"))
        #expect(plain.contains("# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 1.5\n"))
        #expect(!plain.contains("# UNIT") && !plain.contains("# EOF"))
        // A rate is known from the first one on.
        #expect(plain.contains("\npando_revocations_total 0.0\n"))
    }

    @Test("quotes, backslashes and line breaks of a label stay in it")
    func escaped() {
        let registry = PrometheusRegistry()
        counter("pando_http_refusals_total", [("error", "a\"b\\c\nd 1\n# EOF")], in: registry)

        #expect(registry.page.contains(#"pando_http_refusals_total{error="a\"b\\c\nd 1\n# EOF"} 1.0"# + "\n"))
    }

    @Test("a flood of invented labels makes no more series than the family may have, and none is lost in the sum")
    func bounded() throws {
        let registry = PrometheusRegistry(), flood = 5_000
        for number in 0..<flood {
            counter(
                "pando_http_requests_total", [("route", "/\(number)"), ("method", "GET"), ("status", "2xx")],
                in: registry)
            counter("pando_token_requests_total", [("grant", "g\(number)"), ("outcome", "issued")], in: registry)
            Metrics.Timer(
                label: "pando_http_request_duration_seconds", dimensions: [("route", "/\(number)")], factory: registry
            ).recordNanoseconds(1)
            counter("pando_invented_\(number)_total", [], in: registry)
        }

        let page = registry.page, lines = page.split(separator: "\n")
        let requests = lines.filter { $0.hasPrefix("pando_http_requests_total{") }
        let counted = try requests.reduce(0) { $0 + (try #require(Double($1.split(separator: " ").last ?? ""))) }

        #expect(page.utf8.count < 400_000)
        #expect(requests.count == 2_001 && counted == Double(flood))
        #expect(requests.contains { $0.contains(#"{route="_other",method="_other",status="_other"}"#) })
        #expect(lines.count { $0.hasPrefix("pando_token_requests_total{") } == 201)
        #expect(lines.count { $0.hasPrefix("pando_http_request_duration_seconds_count") } == 121)
        #expect(!page.contains("pando_invented"))
    }

    @Test("what was measured of one that is gone makes room for another")
    func room() {
        let registry = PrometheusRegistry()
        for number in 0..<300 {
            let gauge = Gauge(
                label: "pando_events_waiting", dimensions: [("service", "s\(number)")], factory: registry)
            gauge.record(1)
            gauge.destroy()
        }
        Gauge(label: "pando_events_waiting", dimensions: [("service", "last")], factory: registry).record(2)

        let lines = registry.page.split(separator: "\n").filter { $0.hasPrefix("pando_events_waiting") }
        #expect(lines == [#"pando_events_waiting{service="last"} 2.0"#])
    }
}
