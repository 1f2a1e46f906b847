import AsyncHTTPClient
import Base
import Foundation
import HTTP
import Server

/// `pando serve` of the same build, in a process of its own, as an operator runs it.
struct ServedProcess: Sendable {
    /// `http://127.0.0.1:PORT`.
    let address: String
    private let metrics: String
    let process: Int32

    /// Settings for a server on ports of its own, which it reads its own keys at, as a service does.
    static func offering() throws -> [Setting: String] {
        let ports = try FreePort.take(2)
        return [
            .issuer: "http://127.0.0.1:\(ports[0])", .port: "\(ports[0])", .metricsPort: "\(ports[1])",
        ]
    }

    /// Lives as long as `body`. The program stands beside this one. `more`: variables of its environment.
    static func run<Result: Sendable>(
        _ settings: Settings, _ client: HTTPClient, adding more: [String: String] = [:],
        _ body: (ServedProcess) async throws -> Result
    ) async throws -> Result {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let program = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("pando")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw BenchFailure.noServer(program.path)
        }
        let process = Process(), ports = (settings.port, settings.metricsPort ?? 0)
        process.executableURL = program
        process.arguments = ["serve"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            [
                "PANDO_DATABASE": settings.database, "PANDO_ISSUER": settings.root, "PANDO_BIND": "127.0.0.1",
                "PANDO_PORT": "\(ports.0)", "PANDO_METRICS_PORT": "\(ports.1)", "PANDO_LOG_LEVEL": "warning",
                "PANDO_ALLOW_LOOPBACK_SERVICES": "true",
            ].merging(more) { $1 }
        ) { $1 }
        process.standardOutput = FileHandle.nullDevice
        try BenchProcess.start(process)
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let served = ServedProcess(
            address: "http://127.0.0.1:\(ports.0)", metrics: "http://127.0.0.1:\(ports.1)/metrics",
            process: process.processIdentifier)
        try await served.waitUntilReady(client)
        return try await body(served)
    }

    private func waitUntilReady(_ client: HTTPClient) async throws {
        for _ in 0..<200 {
            let answer = try? await client.execute(HTTPClientRequest(url: address + "/readyz"), timeout: .seconds(2))
            if answer?.status == .ok { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw BenchFailure.notServing
    }

    /// The page of its metrics (Prometheus).
    func page(_ client: HTTPClient) async throws -> String {
        let answer = try await client.execute(HTTPClientRequest(url: metrics), timeout: .seconds(5))
        return String(buffer: try await answer.body.collect(upTo: 1 << 20))
    }

    /// Seconds of CPU since it began.
    var cpu: Double { ProcessTimes(of: Int(process))?.seconds ?? 0 }
    /// Resident, in bytes.
    var memory: Double { BenchUsage.residentMemory(of: "\(process)") ?? 0 }
}

/// proc(5), stat.
struct ProcessTimes {
    let parent: Int
    /// User and system.
    let seconds: Double

    init?(of process: Int) {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            // The name stands in brackets and may hold anything.
            let end = text.lastIndex(of: ")")
        else { return nil }
        let words = text[text.index(after: end)...].split(separator: " ")
        guard words.count > 12, let parent = Int(words[1]), let user = Double(words[11]), let system = Double(words[12])
        else { return nil }
        self.parent = parent
        seconds = (user + system) / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }

    /// Of all processes of the PostgreSQL that has this backend.
    static func postgres(besides backend: Int) -> Double {
        guard let postmaster = ProcessTimes(of: backend)?.parent else { return 0 }
        let all = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int($0) }
        return all.compactMap { ProcessTimes(of: $0) }.filter { $0.parent == postmaster }.reduce(0) { $0 + $1.seconds }
    }
}

/// Ports of 127.0.0.1 that nobody has at this moment.
enum FreePort {
    static func take(_ count: Int) throws -> [Int] {
        var sockets: [Int32] = [], ports: [Int] = []
        defer { for socket in sockets { close(socket) } }
        for _ in 0..<count {
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            sockets.append(socket)
            var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let isBound = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
                }
            }
            guard isBound else { throw BenchFailure.notServing }
            ports.append(Int(UInt16(bigEndian: address.sin_port)))
        }
        return ports
    }
}
