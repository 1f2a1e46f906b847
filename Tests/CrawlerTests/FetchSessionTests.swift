import Base
import Foundation
import Testing

@testable import Crawler

@Suite("The fetch policy", .timeLimit(.minutes(30)))
struct FetchSessionTests {
    private func fetch(
        _ url: String, allow: [String] = ["127.0.0.1"], resolver: Resolver? = nil, loopback: Bool = false,
        gzip: Bool = false,
        adjust: (inout FetchPolicy) -> Void = { _ in }
    ) async throws -> Result<Answer, CrawlFailure> {
        var policy = FetchPolicy(
            addresses: AddressPolicy(allow: allow.compactMap { CIDR($0) }, deny: []),
            userAgent: "PandoCrawler/test (+https://iss.example)")
        (policy.answerTime, policy.connectTime, policy.searchTime) = (.seconds(60), .seconds(60), .seconds(600))
        adjust(&policy)
        let session = FetchSession(
            policy: policy, resolver: resolver ?? .system(pins: .none), gate: HostGate(), clock: .system,
            loopback: loopback)
        let result: Result<Answer, CrawlFailure>
        do {
            result = .success(try await session.document(try WebURL(url)))
        } catch let failure as CrawlFailure {
            result = .failure(failure)
        }
        await session.close()
        return result
    }

    private func reason(_ result: Result<Answer, CrawlFailure>) -> CrawlReason? {
        if case .failure(let failure) = result { failure.reason } else { nil }
    }

    private func names(_ addresses: String...) -> Resolver { Resolver { _ in addresses.compactMap { IPAddress($0) } } }

    @Test("without TLS only what the operator admits is asked, whatever a name leads to")
    func withoutTLS() async throws {
        let site = try Site(["/x": .ok("hello")])
        defer { site.stop() }
        let url = "http://plain.test:\(site.port)/x"

        #expect(reason(try await fetch(url, resolver: names("9.9.9.9"))) == .scheme)
        #expect(reason(try await fetch(url, resolver: names("127.0.0.1", "9.9.9.9"))) == .scheme)
        #expect(reason(try await fetch(url, allow: [], resolver: names("127.0.0.1"), loopback: true)) == nil)
        #expect(reason(try await fetch(url, resolver: names("127.0.0.1"))) == nil)
        #expect(site.requests.count == 2)
    }

    @Test("a refused connection is told in words")
    func refusedConnection() async throws {
        let site = try Site([:]), port = site.port
        site.stop()

        let result = try await fetch("http://127.0.0.1:\(port)/")
        #expect(throws: CrawlFailure.self) { try result.get() }
        if case .failure(let failure) = result {
            #expect(
                failure.reason == .unreachable && failure.detail.contains("connection refused"), "\(failure.detail)")
        }
    }

    @Test("an answer, its headers, and the manners of the request")
    func plain() async throws {
        let site = try Site([
            "/x": .ok(
                "hello", type: "text/plain; charset=\"UTF-8\"",
                headers: ["Cache-Control": "public, max-age=60", "Set-Cookie": "a=b"])
        ])
        defer { site.stop() }

        let answer = try await fetch(site.origin + "/x").get()

        #expect(answer.body == Array("hello".utf8) && answer.charset == "UTF-8" && answer.maxAge == 60)
        let headers = try #require(site.requests.first?.headers)
        #expect(
            headers["user-agent"] == "PandoCrawler/test (+https://iss.example)"
                && headers["host"] == "127.0.0.1:\(site.port)")
        #expect(headers["cookie"] == nil && headers["authorization"] == nil && headers["referer"] == nil)
    }

    @Test("a name is connected to at the checked address, with its own Host header")
    func pinned() async throws {
        let site = try Site(["/": .ok("hello")])
        defer { site.stop() }

        let answer = try await fetch("http://site.nowhere.invalid:\(site.port)/", resolver: names("127.0.0.1")).get()

        #expect(answer.url.description == "http://site.nowhere.invalid:\(site.port)/")
        #expect(site.requests.first?.headers["host"] == "site.nowhere.invalid:\(site.port)")
    }

    @Test(
        "forbidden addresses are not connected to, and one of them refuses the name",
        arguments: [["127.0.0.2"], ["127.0.0.1", "10.0.0.1"], ["::1"], ["::ffff:127.0.0.9"]])
    func addresses(answers: [String]) async throws {
        let site = try Site(["/": .ok("hello")])
        defer { site.stop() }

        let result = try await fetch(
            "http://name.example:\(site.port)/", resolver: Resolver { _ in answers.compactMap { IPAddress($0) } })

        #expect(reason(result) == .address)
        #expect(site.requests.isEmpty)
    }

    @Test("loopback needs the service's permission")
    func loopback() async throws {
        let site = try Site(["/": .ok("hello")])
        defer { site.stop() }

        #expect(reason(try await fetch(site.origin + "/", allow: [])) == .address)
        #expect(try await fetch(site.origin + "/", allow: [], loopback: true).get().status == 200)
    }

    @Test("redirects of every kind are followed, relative and absolute")
    func redirects() async throws {
        let site = try Site([
            "/": .move("/1", 301), "/1": .move("2?x", 302), "/2?x": .move("/3", 307), "/4": .ok("end"),
        ])
        defer { site.stop() }
        site.set("/3", .move(site.origin + "/4", 308))

        #expect(try await fetch(site.origin + "/").get().url.path == "/4")
    }

    @Test(
        "loops, chains of more than five, other schemes, ports and forbidden addresses end it",
        arguments: [
            ("/loop", CrawlReason.redirects), ("/0", .redirects), ("/file", .scheme), ("/inside", .address),
            ("/metadata", .address), ("/port", .port), ("/user", .scheme), ("/number", .address),
        ])
    func badRedirects(path: String, expected: CrawlReason) async throws {
        let site = try Site([
            "/loop": .move("/back"), "/back": .move("/loop"), "/file": .move("file:///etc/passwd"),
            "/inside": .move("http://127.66.66.66:8099/"),
            "/metadata": .move("http://169.254.169.254/latest/"), "/port": .move("http://127.0.0.1:22/"),
            "/user": .move("http://a:b@127.0.0.1/"),
            "/number": .move("http://2130706433/"),
        ])
        defer { site.stop() }
        for hop in 0..<9 { site.set("/\(hop)", .move("/\(hop + 1)")) }

        #expect(reason(try await fetch(site.origin + path)) == expected)
    }

    @Test("bodies above the limit are refused: announced, streamed, or grown from gzip")
    func sizes() async throws {
        let big = String(repeating: "a", count: 40_000)
        let site = try Site([
            "/fits": .ok(String(big.prefix(10_000))), "/announced": .ok(big),
            "/streamed": .raw("HTTP/1.1 200 OK\r\n\r\n" + big),
        ])
        defer { site.stop() }
        let shrink = { (policy: inout FetchPolicy) in
            policy.bodyBytes = 10_000
            policy.headerBytes = 1_000
        }
        let bomb = try #require(Data(base64Encoded: SmallGzip.zeros100k))
        site.set(
            "/bomb",
            Site.Reply(
                bytes: Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n".utf8)
                    + bomb))
        site.set("/headers", .ok("x", headers: ["X-Long": String(repeating: "h", count: 2_000)]))

        #expect(try await fetch(site.origin + "/fits", adjust: shrink).get().body.count == 10_000)
        for path in ["/announced", "/streamed", "/bomb", "/headers"] {
            #expect(reason(try await fetch(site.origin + path, adjust: shrink)) == .tooLarge, "\(path)")
        }
        #expect(try await fetch(site.origin + "/bomb").get().body.count == 100_000)
    }

    @Test("slow answers, unknown codings, broken and missing servers")
    func trouble() async throws {
        let site = try Site([
            "/brotli": .ok("x", headers: ["Content-Encoding": "br"]),
            "/short": .ok("x", headers: ["Content-Length": "50"]), "/500": .status(500),
        ])
        defer { site.stop() }
        site.set(
            "/slow", Site.Reply(bytes: Array("HTTP/1.1 200 OK\r\n\r\nabcdefghijklmnopqrstuvwxyz".utf8), pause: 0.1))
        #expect(reason(try await fetch(site.origin + "/slow") { $0.answerTime = .milliseconds(300) }) == .timeout)
        #expect(reason(try await fetch(site.origin + "/brotli")) == .encoding)
        #expect(reason(try await fetch(site.origin + "/short")) == .unreachable)
        #expect(reason(try await fetch(site.origin + "/500")) == .httpStatus)
        #expect(reason(try await fetch("http://127.0.0.1:1024/")) == .unreachable)
        #expect(reason(try await fetch("http://nowhere.invalid/")) == .dns)
    }

    @Test("a certificate that nobody vouches for is refused")
    func certificate() async throws {
        let folder = URL.temporaryDirectory.appending(path: "crawler-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = folder.appending(path: "key.pem").path, certificate = folder.appending(path: "cert.pem").path
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
            "/CN=self.example", "-keyout", key, "-out", certificate
        ).waitUntilExit()
        let taken = try Site()
        taken.stop()
        let server = try openssl(
            "s_server", "-accept", "127.0.0.1:\(taken.port)", "-key", key, "-cert", certificate, "-www")
        defer { server.terminate() }

        var result = try await fetch("https://self.example:\(taken.port)/", resolver: names("127.0.0.1"))
        for _ in 0..<300 where reason(result) == .unreachable {
            try await Task.sleep(for: .milliseconds(100))
            result = try await fetch("https://self.example:\(taken.port)/", resolver: names("127.0.0.1"))
        }

        #expect(reason(result) == .tls, "\(result)")
    }

    @discardableResult
    private func openssl(_ words: String...) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = words
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    @Test("twenty requests are all a service gets")
    func requests() async throws {
        let site = try Site(["/": .ok("x")])
        defer { site.stop() }

        #expect(reason(try await fetch(site.origin + "/") { $0.requests = 0 }) == .timeout)
        #expect(site.requests.isEmpty)
    }

    @Test("two connections and eight requests a second for a host")
    func gate() async throws {
        let gate = HostGate(), clock = ContinuousClock(), began = clock.now

        _ = try await gate.enter("a")
        _ = try await gate.enter("a")
        _ = try await gate.enter("b")
        let third = Task {
            _ = try await gate.enter("a")
            return clock.now
        }
        try await Task.sleep(for: .milliseconds(60))
        let left = clock.now
        gate.leave("a")
        #expect(try await third.value >= left)
        gate.leave("a")
        for _ in 0..<6 {
            _ = try await gate.enter("a")
            gate.leave("a")
        }
        #expect(clock.now - began >= .milliseconds(950))
    }

    @Test("hosts that have been quiet for a second are forgotten, those with an open connection are not")
    func forgets() async throws {
        let gate = HostGate()

        for host in 0..<1_000 { _ = try await gate.enter("h\(host)") }
        for host in 0..<999 { gate.leave("h\(host)") }
        try await Task.sleep(for: .milliseconds(1_050))
        _ = try await gate.enter("a")
        gate.leave("a")
        let left = gate.count
        _ = try await gate.enter("h999")

        #expect(left == 2)
        await #expect(throws: CrawlFailure.self) { try await gate.enter("h999", within: .milliseconds(50)) }
    }
}
