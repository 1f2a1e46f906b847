import Foundation

/// Programs beside ours, and what ours costs.
enum BenchProcess {
    /// Dispatch's threads block signals and a child inherits that: pgbench would not hear its own alarm, nor our
    /// `terminate`.
    static func start(_ process: Process) throws {
        var none = sigset_t(), before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }

    /// Waits for the program's end, or ends it after `limit` seconds. What it writes goes into `output`: pipes fill up.
    static func run(_ program: URL, _ arguments: [String], output: URL, limit: Int) async throws -> Int32 {
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        let process = Process()
        (process.executableURL, process.arguments) = (program, arguments)
        (process.standardInput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        let file = try FileHandle(forWritingTo: output)
        process.standardOutput = file
        let watchdog = DispatchWorkItem { process.terminate() }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try start(process) } catch { continuation.resume(throwing: error) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(limit), execute: watchdog)
        }
        watchdog.cancel()
        try file.close()
        return process.terminationStatus
    }
}

/// CPU and memory of processes, as the kernel counts them.
struct BenchUsage: Sendable {
    /// Seconds of CPU, user and system, of this process with all its threads.
    let own: Double
    /// The same of children that have ended.
    let children: Double

    /// times(2), to the hundredth of a second.
    static func now() -> BenchUsage {
        var counted = tms()
        _ = times(&counted)
        let perSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return BenchUsage(
            own: Double(counted.tms_utime + counted.tms_stime) / perSecond,
            children: Double(counted.tms_cutime + counted.tms_cstime) / perSecond)
    }

    /// Most resident memory since the start or the last `forgetPeak`, in MiB; `nil` where there is no /proc.
    static var peakMemory: Double? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return nil }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map { $0 / 1_024 }
    }

    /// Bytes that malloc has handed out and not got back, whatever it keeps for later; `nil` where it does not tell
    /// (malloc_info(3), which is in no module map of Glibc).
    static var usedMemory: Double? {
        typealias Tell = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        var text: UnsafeMutablePointer<CChar>?, length = 0
        guard let found = dlsym(nil, "malloc_info"), let file = open_memstream(&text, &length) else { return nil }
        let told = unsafeBitCast(found, to: Tell.self)(0, file)
        fclose(file)
        defer { free(text) }
        guard told == 0, let text else { return nil }
        // What stands behind the last heap is of all of them.
        let all = String(cString: text).split(separator: "</heap>", omittingEmptySubsequences: true).last ?? ""
        func size(_ element: String) -> Double? {
            guard let place = all.range(of: "<\(element)\""),
                let size = all.range(of: "size=\"", range: place.upperBound..<all.endIndex)
            else { return nil }
            return Double(all[size.upperBound...].prefix { $0.isNumber })
        }
        guard let system = size("system type=\"current"), let free = size("total type=\"rest") else { return nil }
        return system + (size("total type=\"mmap") ?? 0) - free - (size("total type=\"fast") ?? 0)
    }

    /// Resident memory, in bytes.
    static var residentMemory: Double? { residentMemory(of: "self") }

    static func residentMemory(of process: String) -> Double? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
        else { return nil }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map { $0 * 1_024 }
    }

    /// proc(5), clear_refs: the peak is counted anew from here.
    static func forgetPeak() {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        try? file.write(contentsOf: Data("5".utf8))
        try? file.close()
    }
}
