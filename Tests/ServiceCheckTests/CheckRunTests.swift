import Base
import Crawler
import Foundation
import PandoClient
import ServiceCheck
import TestSupport
import Testing

@Suite("docs/join-the-federation.md, \"Check your service\"")
struct CheckRunTests {
    /// A check by its own issuer, of the small service with `fault`.
    private static func check(
        _ fault: FaultyService.Fault, patience: Int = 20, codes: AskedForTokens = AskedForTokens(),
        adjust: (inout CheckRun.Options) -> Void = { _ in }
    ) async throws -> CheckReport {
        var options = CheckRun.Options()
        options.patience = .seconds(patience)
        adjust(&options)
        let server = OwnIssuerServer(port: try await LiveServer.freePort())
        let run = CheckRun(settings, loopback: false, clock: .system, options: options)
        return try await server.serving {
            try await FaultyService.with(fault, trusting: server.issuer, codes: codes) { base in
                try await run.run(
                    base,
                    source: { base, endpoint in
                        OwnIssuer(
                            issuer: server.issuer, base: base, tokenEndpoint: endpoint, key: server.key,
                            transport: run.toService)
                    })
            }
        }
    }

    private static let settings = CrawlerSettings(allow: [CIDR("127.0.0.0/8")].compactMap(\.self))

    @Test("a service that keeps the contract is clean, and was asked all of it")
    func clean() async throws {
        let report = try await Self.check(.none)

        #expect(report.findings.filter { [.error, .warning].contains($0.severity) } == [])
        #expect(!report.hasErrors && report.assertions == "own")
        let good = Set(report.findings.filter { $0.severity == .ok }.map(\.id))
        #expect(
            good.isSuperset(of: [
                "document", "oauth", "links", "forged", "unsigned", "tampered", "expired", "two-audiences", "crit",
                "no-lineage", "redeem", "reuse", "reuse-ends", "other-key", "foreign", "app-token", "scope-unknown",
                "code-reused", "app-token-asks", "api", "bound-bare", "api-service-token", "events-forged",
                "event-twice", "event-foreign", "revocation", "revoked-lineage", "cors-credentials",
            ]))
    }

    @Test(
        "each fault is found",
        arguments: [
            (.noDocument, ["document"]), (.brokenDocument, ["document"]), (.hidden, ["document-hidden-from-apps"]),
            (.foreignEndpoint, ["document-foreign-endpoint"]), (.deadLink, ["link-dead"]),
            (.noTokenEndpoint, ["token-endpoint"]), (.anySignature, ["forged", "unsigned", "stripped", "tampered"]),
            (.anyAudience, ["foreign", "base-audience", "two-audiences"]), (.garbageCrashes, ["garbage-crash"]),
            (.reuse, ["reuse", "reuse-ends"]), (.unboundTokens, ["token-bound"]), (.anyScope, ["scope-unknown"]),
            (.widerScope, ["scope-widened"]), (.openProtocol, ["bound-bare", "api-service-token"]),
            (.anyEvent, ["events-forged", "events-garbage", "event-foreign"]),
            (.slowToTake, ["events-forged-crash", "event-ended"]), (.deafToEnds, ["revocation"]),
            (.cookiesForAll, ["cors-credentials"]), (.ignoredScope, ["scope-ignored"]),
        ] as [(FaultyService.Fault, [String])])
    func faults(fault: FaultyService.Fault, ids: [String]) async throws {
        let report = try await Self.check(fault, patience: 1)

        let errors = Set(report.findings.filter { $0.severity == .error }.map(\.id))
        #expect(errors.isSuperset(of: ids), "\(report.lines.joined(separator: "\n"))")
        #expect(report.hasErrors)
    }

    @Test(
        "what works and should be otherwise is a warning",
        arguments: [
            (.noEvents, "events-absent"), (.plainErrors, "garbage-shape"), (.linkElsewhere, "link-elsewhere"),
            (.brokenLink, "link-broken"),
        ] as [(FaultyService.Fault, String)])
    func warnings(fault: FaultyService.Fault, id: String) async throws {
        let report = try await Self.check(fault, patience: 1)

        #expect(report.findings.contains { $0.id == id && $0.severity == .warning })
        #expect(!report.findings.contains { $0.id == "links" } || !id.hasPrefix("link"))
    }

    @Test("of two protocols, each refuses the other's tokens")
    func scopes() async throws {
        let report = try await Self.check(.twoProtocols, patience: 1)

        #expect(report.findings.contains { $0.id == "scope-ignored" && $0.severity == .ok })
    }

    @Test("without anybody's trust, refusals are checked and nothing else is claimed")
    func nobodyTrusted() async throws {
        let run = CheckRun(Self.settings, loopback: false, clock: .system, options: .init())

        let report = try await FaultyService.with(.none, trusting: "http://127.0.0.1:1025") { base in
            try await run.run(base, source: nil)
        }

        #expect(report.assertions == "none")
        #expect(report.findings.contains { $0.id == "assertions" && $0.severity == .info })
        #expect(report.findings.contains { $0.id == "foreign-issuer" && $0.severity == .ok })
        #expect(!report.findings.contains { ["redeem", "revocation"].contains($0.id) })
    }

    @Test("an address that the operator has not admitted is not asked")
    func privateAddress() async throws {
        let run = CheckRun(CrawlerSettings(), loopback: false, clock: .system, options: .init())

        let report = try await FaultyService.with(.none, trusting: "http://127.0.0.1:1025") { base in
            try await run.run(base, source: nil)
        }

        #expect(
            Set(report.findings.filter { $0.severity == .error }.map(\.id)) == ["document", "token-endpoint-silent"])
    }

    @Test("of a document that names 150 protocols, the first are asked for")
    func manyProtocols() async throws {
        let codes = AskedForTokens()

        let report = try await Self.check(.manyProtocols, patience: 1, codes: codes)

        #expect(report.findings.contains { $0.id == "forged" && $0.severity == .ok })
        let times = await codes.times
        #expect((1...100).contains(times), "\(times)")
    }

    @Test("who hangs up in the middle is told what was found before")
    func hangsUp() async throws {
        let report = try await Self.check(.hangsUp, patience: 1)

        #expect(report.findings.contains { $0.id == "unfinished" && $0.severity == .error })
        #expect(report.findings.contains { $0.id == "forged" && $0.severity == .ok })
    }

    @Test("a service is not asked for longer than was said")
    func longest() async throws {
        let report = try await Self.check(.none, patience: 1) { $0.longest = .seconds(-60) }

        let silence = try #require(report.findings.first { $0.id == "token-endpoint-silent" })
        #expect(silence.severity == .error && silence.evidence?.contains("not asked any more") == true)
    }

    @Test("what services say has an end in a report")
    func longWords() {
        let words = String(repeating: "x", count: 1 << 20)
        let finding = Finding(.error, "api", words, .tokens, evidence: words)

        #expect(finding.text.count == 1_000 && finding.evidence?.count == 300)
    }

    @Test("an origin that is named must be admitted to the token endpoint")
    func origin() async throws {
        let report = try await Self.check(.none) { $0.origin = "https://app.example.org" }

        #expect(report.findings.contains { $0.id == "cors-origin" && $0.severity == .error })
    }

    @Test("an origin that is admitted, with all that it sends, is told so")
    func admittedOrigin() async throws {
        let report = try await Self.check(.browsers, patience: 1) { $0.origin = "https://app.example.org" }

        #expect(report.findings.contains { $0.id == "cors-origin" && $0.severity == .ok })
    }

    @Test(
        "what an admitted origin may not send is named; a star is not for Authorization (Fetch, 3.2.5)",
        arguments: [(.browsersWithoutProofs, "dpop"), (.browsersByStar, "authorization")]
            as [(FaultyService.Fault, String)])
    func originWithoutHeaders(fault: FaultyService.Fault, missing: String) async throws {
        let report = try await Self.check(fault, patience: 1) { $0.origin = "https://app.example.org" }

        let finding = try #require(report.findings.first { $0.id == "cors-headers" })
        #expect(finding.severity == .error && finding.text.contains("may not send \(missing):"))
        #expect(!report.findings.contains { $0.id == "cors-origin" })
    }

    @Test("a report says each finding with its section, in words and in JSON")
    func words() async throws {
        let report = try await Self.check(.anyAudience, patience: 1)

        let finding = try #require(report.json["findings"]?.array?.first { $0["id"]?.string == "foreign" })
        #expect(finding["severity"]?.string == "error")
        #expect(finding["section"]?.string == Contract.assertion.rawValue)
        #expect(report.json["errors"]?.integer == report.count(.error))
        #expect(report.lines.contains("Wrong:") && report.lines.contains { $0.contains(Contract.assertion.rawValue) })
    }
}
