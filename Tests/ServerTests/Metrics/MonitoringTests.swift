import Foundation
import TestSupport
import Testing

@testable import Server

/// deploy/monitoring is of what the page has; that Prometheus reads it so is seen by Tests/Interop/test_prometheus.py.
@Suite("alerts, dashboard and runbook")
struct MonitoringTests {
    private static func read(_ path: String) throws -> String {
        try String(contentsOf: Checkout.folder(path), encoding: .utf8)
    }

    private static func alerts(_ rules: String) -> [String] {
        rules.matches(of: #/- alert: (\w+)/#).map { String($0.1) }
    }

    /// What a text names of ours that is on no page.
    private static func unknown(_ text: String) -> Set<String> {
        let names = text.matches(of: #/\b(?:pando|process)_[a-z0-9_]+/#).map { String($0.0) }
        return Set(names).filter { name in
            let bare =
                [name]
                + ["_bucket", "_sum", "_count"].compactMap { part in
                    name.hasSuffix(part) ? String(name.dropLast(part.count)) : nil
                }
            return !bare.contains { MetricFamily.named($0) != nil }
        }
    }

    @Test(
        "each alert has its entry in the runbook and leads there, is tested, and no entry is of an alert that is gone")
    func runbook() throws {
        let rules = try Self.read("deploy/monitoring/rules.yml"), alerts = Self.alerts(rules)
        let entries = try Self.read("docs/runbook.md").matches(of: #/(?m)^## (Pando\w+)$/#).map { String($0.1) }
        let tests = try Self.read("deploy/monitoring/rules_test.yml")

        #expect(!alerts.isEmpty && Set(alerts).count == alerts.count)
        #expect(alerts.sorted() == entries.sorted())
        for alert in alerts {
            #expect(rules.contains("runbook: docs/runbook.md#\(alert.lowercased())\n"), "\(alert)")
            #expect(tests.contains("- name: \(alert)\n"), "\(alert)")
        }
    }

    @Test("each entry says where to look and what to do")
    func entries() throws {
        let sections = try Self.read("docs/runbook.md").components(separatedBy: "\n## ").dropFirst()

        #expect(!sections.isEmpty)
        for section in sections {
            #expect(section.contains("**Look**:") && section.contains("**Do**:"), "\(section.prefix(40))")
        }
    }

    @Test(
        "what alerts, dashboard and documents name is on the page",
        arguments: [
            "deploy/monitoring/rules.yml", "deploy/monitoring/rules_test.yml", "deploy/monitoring/dashboard.json",
            "docs/runbook.md",
        ])
    func named(_ path: String) throws {
        let unknown = Self.unknown(try Self.read(path))

        #expect(unknown.isEmpty, "\(unknown.sorted())")
    }

    @Test("the dashboard shows every family, and the document tells of every one that is ours")
    func complete() throws {
        let dashboard = try Self.read("deploy/monitoring/dashboard.json"), text = try Self.read("docs/operate.md")

        for family in MetricFamily.all {
            #expect(dashboard.contains("\"title\": \"\(family.name)\""), "\(family.name)")
            let isOurs = family.name.hasPrefix("pando_") && !family.name.hasPrefix("pando_db_connections_")
            #expect(!isOurs || text.contains("`\(family.name)") || text.contains(" `\(family.name)"), "\(family.name)")
        }
    }

    @Test("a name that is on no page is found")
    func bites() {
        #expect(Self.unknown("sum(pando_invented_total) + process_open_fds") == ["pando_invented_total"])
        #expect(Self.unknown("pando_db_statement_duration_bucket pando_events_dead_count").count == 1)
    }
}
