import Foundation

/// What Linux tells of this process (proc(5)), under the names that all exporters of Prometheus use.
struct ProcessFigures: Sendable {
    let cpuSeconds: Double
    let residentBytes: Double
    let virtualBytes: Double
    let threads: Double
    /// Since 1970.
    let startSeconds: Double

    private static let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    private static let page = Double(max(1, sysconf(Int32(_SC_PAGESIZE))))

    /// `nil` where there is no such file.
    static func read() -> ProcessFigures? {
        guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let machine = try? String(contentsOfFile: "/proc/stat", encoding: .utf8)
        else { return nil }
        return ProcessFigures(stat: stat, machine: machine)
    }

    /// `stat` and `machine` are `/proc/PID/stat` and `/proc/stat`.
    init?(stat: String, machine: String) {
        // The name, in parentheses, may hold blanks and parentheses.
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split { $0.isWhitespace }.map { Double($0) ?? 0 }
        let boot = machine.split(separator: "\n").first { $0.hasPrefix("btime ") }?.split(separator: " ").last
        guard fields.count > 21, let boot = boot.flatMap({ Double($0) }) else { return nil }
        // The first of these is the third of the file.
        cpuSeconds = (fields[11] + fields[12]) / ProcessFigures.ticks
        threads = fields[17]
        startSeconds = boot + fields[19] / ProcessFigures.ticks
        (virtualBytes, residentBytes) = (fields[20], fields[21] * ProcessFigures.page)
    }

    /// Descriptors that are open; the one that looks is among them.
    static var openDescriptors: Double? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double($0.count) }
    }

    static var mostDescriptors: Double? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Double(limit.rlim_cur)
    }
}
