import Base
import HTTPTypes
import Hummingbird
import Synchronization
import Testing

@testable import HTTP

@Suite("the port of metrics")
struct MetricsPageTests {
    private static let token = String(repeating: "0123456789abcdef", count: 4)

    private func ask(_ page: MetricsPage, _ headers: [(String, String)] = []) async -> Response {
        var fields = HTTPFields()
        for (name, value) in headers { fields.append(HTTPField(name: .named(name), value: value)) }
        let head = HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/metrics", headerFields: fields)
        return await page.answer(Request(head: head, body: .init(buffer: .init())))
    }

    private let open = MetricsPage(token: nil) { "of \($0)\n" }
    private let closed = MetricsPage(token: SecretBytes(token.utf8)) { "of \($0)\n" }

    @Test(
        "who asks for OpenMetrics 1.0 gets it, everybody else Prometheus' own text",
        arguments: [
            ("", MetricsPage.Format.prometheus), ("*/*", .prometheus), ("text/html", .prometheus),
            ("application/openmetrics-text", .openMetrics),
            ("application/openmetrics-text; version=1.0.0; charset=utf-8", .openMetrics),
            ("application/openmetrics-text;version=0.0.1", .prometheus),
            ("application/openmetrics-text;version=2.0.0,text/plain;q=0.1", .prometheus),
            ("text/plain;q=0.5,application/openmetrics-text;version=1.0.0;q=0.4", .prometheus),
            ("application/openmetrics-text;q=0", .prometheus), ("application/openmetrics-text;q=x", .prometheus),
            ("APPLICATION/OPENMETRICS-TEXT", .openMetrics), (";;,,;q=1,", .prometheus),
            // Prometheus 2.42 of Debian 12.
            (
                """
                application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,\
                text/plain;version=0.0.4;q=0.5,*/*;q=0.1
                """, .openMetrics
            ),
        ])
    func negotiated(_ accept: String, _ format: MetricsPage.Format) async {
        let answer = await ask(open, accept.isEmpty ? [] : [("Accept", accept)])

        #expect(answer.status == .ok && answer.headers[.contentType] == format.contentType)
        #expect(answer.headers[.vary] == "Accept" && answer.headers[.cacheControl] == "no-store")
    }

    @Test("with a token the page is for who shows it, once, as Bearer")
    func allowed() async {
        for scheme in ["Bearer", "bearer"] {
            #expect(await ask(closed, [("Authorization", "\(scheme) \(Self.token)")]).status == .ok)
        }
    }

    @Test(
        "everybody else is refused, and told how to ask; nothing is read for them",
        arguments: [
            [], [""], ["Bearer"], ["Bearer "], ["Bearer \(token.dropLast())"], ["Bearer \(token)0"],
            ["Bearer \(token.uppercased())"], ["Basic \(token)"], [token], ["Bearer  \(token)"],
            ["Bearer \(token)", "Bearer \(token)"],
        ] as [[String]])
    func refused(_ shown: [String]) async {
        let reads = Mutex(0)
        let page = MetricsPage(token: SecretBytes(Self.token.utf8)) { _ in
            reads.withLock { $0 += 1 }
            return ""
        }

        let answer = await ask(page, shown.map { ("Authorization", $0) })

        #expect(answer.status == .unauthorized && reads.withLock { $0 } == 0)
        #expect(answer.headers[.wwwAuthenticate] == "Bearer realm=\"metrics\"")
        #expect(answer.headers[.cacheControl] == "no-store")
    }
}
