import Base
import Foundation
import Testing
import Vocabulary

@testable import Crawler

@Suite("RSD2 in YAML", .timeLimit(.minutes(30)))
struct YAMLDocumentTests {
    private static let campus = """
        # what we offer
        engineName: Campus
        engineLink: https://site.example/campus/
        homePageLink: "https://site.example/"
        apis:
          org.ietf.oauth2:
            apiLink: oauth2
            apiVersion: 2.10
            preferred: true
            transport: [rest, 'soap']
            settings: {size: 7, "on": "7", none: ~}
          MetaWeblog:
            apiLink: https://site.example/xmlrpc
            preferred: Yes
            notes: |
              R & D *shout*,
              since 2001
        """

    private func read(_ text: String, charset: String? = nil) throws -> ReadDocument {
        try DocumentReader(base: Documents.base, indexName: "Index name").read(
            Array(text.utf8), charset: charset, url: WebURL(Documents.url), isYAML: true)
    }

    private func refusal(_ text: String) -> CrawlReason? {
        do {
            _ = try read(text)
            return nil
        } catch let failure as CrawlFailure {
            return failure.reason
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test("the members of JSON, with real booleans, numbers and texts")
    func members() throws {
        let read = try read(YAMLDocumentTests.campus), apis = read.document.json["apis"]

        #expect(read.protocols == ["MetaWeblog", "org.ietf.oauth2"] && read.document.engineName == "Campus")
        let oauth = apis?["org.ietf.oauth2"], weblog = apis?["MetaWeblog"]
        #expect(oauth?["apiLink"] == "https://site.example/campus/oauth2")
        #expect(oauth?["apiVersion"] == "2.10", "a version is no fraction")
        #expect(oauth?["transport"] == ["REST", "SOAP"])
        #expect(oauth?["settings"] == ["size": 7, "on": "7", "none": .null])
        #expect(weblog?["apiLink"] == "https://site.example/xmlrpc")
        #expect(weblog?["notes"]?.string?.hasPrefix("R & D *shout*,") == true)
        #expect(read.warningNames == ["several_preferred"])
    }

    @Test("a service around it, a list of apis, a marker at the start, and a byte order mark are read")
    func shapes() throws {
        let listed = "--- \nservice:\n  apis:\n  - name: a.b\n    apiLink: https://x.example/b\n"

        #expect(try read(listed).protocols == ["a.b"])
        #expect(try read("\u{FEFF}" + listed).protocols == ["a.b"])
        #expect(try read("apis: []").warningNames == ["no_apis"])
        #expect(try read("{\"apis\": {\"a.b\": {\"apiLink\": \"b\"}}}").protocols == ["a.b"], "JSON is JSON")
        #expect(try read(Documents.rsd1(Documents.weblog)).protocols == ["MetaWeblog"], "XML is XML")
    }

    @Test(
        "what is refused, and why",
        arguments: [
            ("", CrawlReason.notRSD), ("# nothing", .notRSD), ("just words", .notRSD), ("- a\n- b", .notRSD),
            ("title: no apis here", .notRSD), ("apis: many", .notRSD), ("apis: {a.b: [", .malformed),
            ("a: b: c", .malformed), ("apis:\n\ta: 1", .malformed), ("apis: {a: 1, a: 2}", .malformed),
            ("apis: {a: 1, \"a\": 2}", .malformed), ("apis: {[a]: 1}", .malformed),
            ("apis: {}\n---\napis: {}", .malformed), ("apis: *nobody", .malformed), ("apis: \u{0}", .encoding),
            ("<!doctype html><p>log in", .notRSD),
        ])
    func refused(_ text: String, _ reason: CrawlReason) {
        #expect(refusal(text) == reason, "\(text.debugDescription)")
    }

    @Test(
        "what grows when it is read is refused before it is read",
        arguments: [
            "apis: &a {x.y: {apiLink: b}}\nmore: *a", "a: &a [x, x]\nb: &b [*a,*a]\napis: {c: [*b,*b]}",
            "? &k [a]\n: *k", "apis: {<<: &x-1 {a: 1}, b: *x-1}",
        ])
    func aliases(_ text: String) {
        #expect(refusal(text) == .limits)
    }

    @Test("a billion laughs take no time")
    func laughs() {
        var text = "l0: &l0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
        for level in 1..<40 {
            let all = Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", ")
            text += "l\(level): &l\(level) [\(all)]\n"
        }
        let began = ContinuousClock.now

        #expect(refusal(text + "apis: *l39") == .limits)
        #expect(ContinuousClock.now - began < .seconds(20))
    }

    @Test("no depth ends the process: brackets, lines, lists in lists, keys in keys", arguments: [33, 300, 200_000])
    func depth(levels: Int) {
        let brackets = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)

        #expect(refusal("apis: {a: {settings: \(brackets)}}") == .limits)
        #expect(refusal("apis: " + String(repeating: "{a: ", count: levels)) != nil)
        #expect(refusal("apis:\n" + String(repeating: "- ", count: levels) + "x") != nil)
        #expect(refusal(String(repeating: "? ", count: levels) + "x") != nil)
        let lines = (0..<min(levels, 300)).map { String(repeating: " ", count: $0) + "apis:" }
        #expect(refusal(lines.joined(separator: "\n")) == .limits)
    }

    @Test("the limits of JSON hold: apis, members, values, texts")
    func limits() throws {
        func apis(_ count: Int) -> String {
            "apis:\n" + (0..<count).map { "  a.p\($0): {apiLink: p}" }.joined(separator: "\n")
        }

        #expect(try read(apis(200)).protocols.count == 200)
        #expect(refusal(apis(201)) == .limits)
        #expect(refusal("apis: {a.b: {apiLink: b, notes: \(String(repeating: "x", count: 8_193))}}") == .limits)
        for count in [20_001, 500_000] {
            #expect(refusal("apis: {}\nmore: [" + String(repeating: "1,", count: count) + "]") == .limits)
        }
    }

    @Test("text in another encoding is read as it says, and refused where nothing says it")
    func encoding() throws {
        let latin = Array("engineName: Z\u{FC}rich\napis: {}".unicodeScalars.map { UInt8($0.value) })
        let reader = DocumentReader(base: Documents.base, indexName: "Index name")

        let said = try reader.read(latin, charset: "iso-8859-1", url: WebURL(Documents.url), isYAML: true)
        #expect(said.document.engineName == "Z\u{FC}rich")
        #expect(throws: CrawlFailure.self) {
            try reader.read(latin, charset: nil, url: WebURL(Documents.url), isYAML: true)
        }
    }

    @Test(
        "content type or name says that it is YAML",
        arguments: [
            ("/d", "application/yaml"), ("/d", "text/yaml; charset=utf-8"), ("/d", "application/x-rsd+YAML"),
            ("/d.yaml", "text/plain"), ("/d.yml", "application/octet-stream"),
        ])
    func found(path: String, type: String) async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.home(path), path: .ok(YAMLDocumentTests.campus, type: type)])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")

            let result = try await server.crawl("a")

            #expect(result.state == .ok && result.protocols == ["MetaWeblog", "org.ietf.oauth2"], "\(result)")
        }
    }

    @Test("without either it is no document")
    func unsaid() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": .ok(YAMLDocumentTests.campus, type: "text/plain")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")

            #expect(try await server.crawl("a").reason == .notFound)
        }
    }
}
