import Foundation
import Simulators

/// wrk with each answer under its status. wrk knows one latency for all, and its scripts are not told which request an
/// answer is of: so a request says in `X-Request-Id` when it was sent, which a server that trusts this machine as a
/// proxy gives back.
struct WrkByStatus: Sendable {
    struct Answers: Sendable {
        let status: Int
        let count: Int
        /// Milliseconds.
        let p50: Double
        let p99: Double
    }

    struct Result: Sendable {
        /// By status.
        let answers: [Answers]
        /// Connections that were not made, or broke, and answers that did not come within ten seconds.
        let failures: Int
        /// Answers that gave no time back, so that they stand under no status.
        let nameless: Int
        let seconds: Double
    }

    /// As long as a time in microseconds.
    private static let place = "0000000000000000"

    let connections: Int
    let folder: URL

    /// One request over and over, on all connections.
    func run(_ request: DemoRequest, at address: String, seconds: Int) async throws -> Result {
        let script = folder.appendingPathComponent("wrk-by-status.lua"),
            raw = folder.appendingPathComponent("wrk-by-status.request"),
            output = folder.appendingPathComponent("wrk-by-status.out")
        try Data(WrkByStatus.script.utf8).write(to: script)
        try Wrk.raw(
            DemoRequest(
                method: request.method, url: request.url,
                headers: request.headers + [("X-Request-Id", WrkByStatus.place)], body: request.body)
        ).write(to: raw)
        let status = try await BenchProcess.run(
            URL(fileURLWithPath: try Wrk.found()),
            [
                "--threads", "1", "--connections", "\(connections)", "--duration", "\(seconds)s", "--timeout", "10s",
                "--script", script.path, address, "--", raw.path, WrkByStatus.place,
            ], output: output, limit: seconds + 60)
        let text = try String(contentsOf: output, encoding: .utf8)
        var answers: [Answers] = [], whole: [Double] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " "), numbers = words.dropFirst().compactMap { Double($0) }
            switch (words.first, numbers.count) {
            case ("answers", 4):
                answers.append(
                    Answers(
                        status: Int(numbers[0]), count: Int(numbers[1]), p50: numbers[2] / 1_000,
                        p99: numbers[3] / 1_000))
            case ("whole", 3): whole = numbers
            default: continue
            }
        }
        guard status == 0, whole.count == 3, whole[2] > 0 else { throw BenchFailure.wrk(text) }
        return Result(
            answers: answers.sorted { $0.status < $1.status }, failures: Int(whole[0]), nameless: Int(whole[1]),
            seconds: whole[2])
    }

    private static let script = """
        local ffi = require("ffi")
        ffi.cdef[[typedef struct { long sec; long usec; } pando_time; int gettimeofday(pando_time *t, void *zone);]]
        local clock = ffi.new("pando_time")
        local function now()
            ffi.C.gettimeofday(clock, nil)
            return tonumber(clock.sec) * 1e6 + tonumber(clock.usec)
        end

        -- Powers of this, in microseconds: a time is told to one per cent. wrk hands numbers and words from a thread to
        -- the end, and not tables of tables.
        local step, most = 1.02, 900
        local threads, before, behind = {}, "", ""
        statuses, nameless = "", 0

        function setup(thread) table.insert(threads, thread) end

        function init(arguments)
            local file = assert(io.open(arguments[1], "rb"))
            local text = file:read("*a")
            file:close()
            local first, last = assert(text:find(arguments[2], 1, true))
            before, behind = text:sub(1, first - 1), text:sub(last + 1)
        end

        function request() return before .. string.format("%016.0f", now()) .. behind end

        function response(status, headers)
            local sent
            for name, value in pairs(headers) do
                if name:lower() == "x-request-id" then sent = tonumber(value) end
            end
            if not sent then nameless = nameless + 1 return end
            local list = "count_" .. status
            if not _G[list] then
                _G[list] = 0
                statuses = statuses .. status .. " "
            end
            local place = math.floor(math.log(math.max(1, now() - sent)) / math.log(step))
            local count = list .. "_" .. math.min(place, most)
            _G[list], _G[count] = _G[list] + 1, (_G[count] or 0) + 1
        end

        function done(summary)
            local counts, without = {}, 0
            for _, thread in ipairs(threads) do
                without = without + thread:get("nameless")
                for status in thread:get("statuses"):gmatch("%d+") do
                    local all = counts[status] or { total = 0 }
                    counts[status] = all
                    all.total = all.total + thread:get("count_" .. status)
                    for place = 0, most do
                        all[place] = (all[place] or 0) + (thread:get("count_" .. status .. "_" .. place) or 0)
                    end
                end
            end
            local function percentile(all, part)
                local left = math.ceil(all.total * part / 100)
                for place = 0, most do
                    left = left - all[place]
                    if left <= 0 then return step ^ (place + 0.5) end
                end
            end
            for status, all in pairs(counts) do
                print(string.format("answers %s %d %d %d", status, all.total, percentile(all, 50), percentile(all, 99)))
            end
            local e = summary.errors
            print(string.format("whole %d %d %.6f", e.connect + e.read + e.write + e.timeout, without,
                summary.duration / 1e6))
        end

        """
}
