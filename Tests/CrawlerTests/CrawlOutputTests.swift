import Administration
import Base
import Foundation
import Testing

@testable import Commands
@testable import Crawler

@Suite("What crawl run writes", .timeLimit(.minutes(30)))
struct CrawlOutputTests {
    private func result(_ id: String, _ outcome: CrawlResult.Outcome = .unchanged) -> CrawlResult {
        CrawlResult(
            service: id, base: "https://\(id).example/", outcome: outcome, state: outcome == .failed ? .failed : .ok,
            reason: outcome == .failed ? .notFound : nil, detail: nil, source: .base, documentURL: nil, httpStatus: 200,
            protocols: [], added: [], removed: [], warnings: [], tookMS: 1)
    }

    /// What stands on stdout when `work` has ended.
    private func written(json: Bool, _ work: (inout CrawlOutput) throws -> Void) throws -> String {
        let path = URL.temporaryDirectory.appending(path: "crawl-output-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: path) }
        try Data().write(to: path)
        var output = try CrawlOutput(json: json, isDryRun: true, to: try FileHandle(forWritingTo: path))
        try work(&output)
        return try String(contentsOf: path, encoding: .utf8)
    }

    private func place(_ text: String, in whole: String) throws -> String.Index {
        try #require(whole.range(of: text)).lowerBound
    }

    @Test("results stand in the order of the services, whoever was done first; who has none is passed over")
    func order() throws {
        let ids = (0..<500).map { "s\($0)" }, done = ids.filter { $0 != "s7" }

        let json = try written(json: true) { output in
            output.begin(ids)
            for id in done.reversed() { try output.add(result(id, id == "s9" ? .failed : .changed)) }
            try output.end()
            #expect(output.hasFailures)
        }
        let reports = try written(json: false) { output in
            output.begin(["b", "a"])
            for id in ["a", "b"] { try output.add(result(id)) }
            try output.end()
            #expect(!output.hasFailures)
        }

        let list = try JSONReader.read(Array(json.utf8))
        #expect(list["items"]?.array?.map { $0["service"]?.string } == done && list["next"] == .null)
        #expect(list["items"]?.array?.first == result("s0", .changed).json && json.hasSuffix("}\n"))
        #expect(try place("b  https", in: reports) < place("\n\na  https", in: reports))
        #expect(reports.hasSuffix("\n") && !reports.hasSuffix("\n\n"))
    }

    @Test("a crawl that breaks off has written nothing", arguments: [true, false], [[], ["a", "b"]])
    func breakOff(json: Bool, results: [String]) throws {
        let text = try written(json: json) { output in
            output.begin(["a", "b", "c"])
            for id in results { try output.add(result(id)) }
        }

        #expect(text.isEmpty)
    }

    @Test("no services are an empty list, for people none")
    func empty() throws {
        for (json, text) in [(true, "{\"items\":[],\"next\":null}\n"), (false, "none\n")] {
            let isWritten = try written(json: json) { output in
                output.begin([])
                try output.end()
            }

            #expect(isWritten == text)
        }
    }

    @Test("a disk that is full is an error, and no crash")
    func full() throws {
        var output = try CrawlOutput(
            json: true, isDryRun: false, to: try #require(FileHandle(forWritingAtPath: "/dev/full")))
        output.begin(["a"])
        try output.add(result("a"))

        #expect(throws: AdminFailure.self) { try output.end() }
    }
}
