import Foundation
import Simulators

/// Debian's wrk: a load generator in C that costs little beside the server. It sends requests that were made before.
struct Wrk: Sendable {
    struct Result: Sendable {
        /// Answered.
        let requests: Int
        /// Taken from the file.
        let taken: Int
        let perSecond: Double
        /// Milliseconds.
        let p50: Double
        let p99: Double
        /// Connections that failed, and answers other than 2xx and 3xx.
        let failures: Int
    }

    /// Requests as they go over the wire, in a file.
    struct Requests: Sendable {
        fileprivate let file: URL
        let count: Int
        /// Each once, or all over and over.
        let areSpent: Bool
    }

    private let program: String
    private let folder: URL
    let connections: Int

    /// `folder` takes scripts and requests.
    init(
        connections: Int, folder: URL, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        (program, self.folder, self.connections) = (try Wrk.found(environment), folder, connections)
        try Data(Wrk.script.utf8).write(to: script)
    }

    /// Where it stands.
    static func found(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
        guard let program = folders.map({ $0 + "/wrk" }).first(where: FileManager.default.isExecutableFile) else {
            throw BenchFailure.noWrk
        }
        return program
    }

    private var script: URL { folder.appendingPathComponent("wrk.lua") }

    func write(_ requests: [DemoRequest], areSpent: Bool) throws -> Requests {
        let file = folder.appendingPathComponent("requests-\(UUID().uuidString)")
        var bytes = Data()
        for request in requests {
            let raw = Wrk.raw(request)
            bytes += Data("\(raw.count)\n".utf8) + raw
        }
        try bytes.write(to: file)
        return Requests(file: file, count: requests.count, areSpent: areSpent)
    }

    /// At `address`, from the request number `first` on. Ends when the requests are used up, or the seconds are over.
    func run(_ requests: Requests, at address: String, from first: Int, seconds: Int) async throws -> Result {
        let output = folder.appendingPathComponent("wrk.out")
        let status = try await BenchProcess.run(
            URL(fileURLWithPath: program),
            [
                "--threads", "1", "--connections", "\(connections)", "--duration", "\(seconds)s", "--timeout", "10s",
                "--script", script.path, address, "--", requests.file.path, "\(first)",
                requests.areSpent ? "once" : "again",
            ], output: output, limit: seconds + 30)
        let text = try String(contentsOf: output, encoding: .utf8)
        let line = text.split(separator: "\n").last { $0.hasPrefix("measured ") } ?? ""
        let numbers = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard status == 0, numbers.count == 6, numbers[1] > 0 else { throw BenchFailure.wrk(text) }
        return Result(
            requests: Int(numbers[0]), taken: Int(numbers[5]), perSecond: numbers[0] / numbers[1],
            p50: numbers[2] / 1_000,
            p99: numbers[3] / 1_000, failures: Int(numbers[4]))
    }

    /// RFC 9112, 2.1.
    static func raw(_ request: DemoRequest) -> Data {
        let body = Data((request.bodyText ?? "").utf8)
        var head = "\(request.method) \(target(request.url)) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for header in request.headers { head += "\(header.name): \(header.value)\r\n" }
        if let type = request.contentType { head += "Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n" }
        return Data((head + "\r\n").utf8) + body
    }

    /// Path and query.
    private static func target(_ url: String) -> String {
        let rest = url.range(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    /// wrk's own rate counts on to the end of the duration, when requests are used up before: so the time between the
    /// first and the last request is taken here.
    private static let script = """
        local ffi = require("ffi")
        ffi.cdef[[typedef struct { long sec; long usec; } pando_time; int gettimeofday(pando_time *t, void *zone);]]
        local clock = ffi.new("pando_time")
        local function now()
            ffi.C.gettimeofday(clock, nil)
            return tonumber(clock.sec) + tonumber(clock.usec) / 1e6
        end

        local threads, requests, position, once = {}, {}, 1, false
        begun, ended, sent = 0, 0, 0

        function setup(thread) table.insert(threads, thread) end

        function init(arguments)
            local file = assert(io.open(arguments[1], "rb"))
            while true do
                local size = file:read("*n")
                if not size then break end
                file:read(1)
                table.insert(requests, file:read(size))
            end
            file:close()
            position = tonumber(arguments[2]) % #requests + 1
            once = arguments[3] == "once"
        end

        function request()
            ended = now()
            if begun == 0 then begun = ended end
            if position > #requests then
                if once then wrk.thread:stop() return requests[#requests] end
                position = 1
            end
            position, sent = position + 1, sent + 1
            return requests[position - 1]
        end

        function done(summary, latency)
            local count, first, last = 0, math.huge, 0
            for _, thread in ipairs(threads) do
                count = count + thread:get("sent")
                first = math.min(first, thread:get("begun"))
                last = math.max(last, thread:get("ended"))
            end
            local e = summary.errors
            print(string.format("measured %d %.6f %d %d %d %d", math.min(count, summary.requests), last - first,
                latency:percentile(50), latency:percentile(99),
                e.connect + e.read + e.write + e.timeout + e.status, count))
        end

        """
}
