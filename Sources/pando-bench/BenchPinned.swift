import Base
import Foundation
import HTTP
import NIOCore
import NIOPosix

/// Threads that each stay on one core, and run whatever is asked of the server there, as the threads of its connections
/// do.
struct BenchPinned: Sendable {
    /// An event loop of one thread, and a connection that belongs to it.
    struct Seat: Sendable {
        /// Its place among the seats.
        let number: Int
        fileprivate let executor: EventLoopExecutor
        /// To no server: it has an address of the other end, and nothing is ever sent.
        let channel: any Channel
    }

    /// What was done by some seats at the same time.
    struct Turns: Sendable {
        var perSecond = 0.0
        /// With the warm-up.
        var all = 0
        /// Of 1,000 turns: how often a thread of this process gave up its core before its time, to wait.
        var waits = 0.0
        /// Seconds of CPU of one turn.
        var cpu = 0.0
        /// The part of their cores' time that the threads ran: what is missing they waited for, or other processes had.
        var share = 0.0
    }

    private struct Part {
        let turns: Int
        let all: Int
        let seconds: Double
        let cpu: Double
        let waits: Int
    }

    /// One turn; they are numbered from 0 on each seat.
    typealias Turn = @Sendable (_ number: Int) async throws -> Void

    private static let warmUp = Duration.seconds(1)

    let seats: [Seat]
    let seconds: Int

    /// As many seats as this, each on a core of its own while there are enough.
    static func run<Value>(
        _ count: Int, seconds: Int, _ body: (BenchPinned) async throws -> Value
    ) async throws -> Value {
        let cores = BenchCoreSet.own
        let groups = (0..<count).map { MultiThreadedEventLoopGroup(pinnedCPUIDs: [cores[$0 % cores.count]]) }
        do {
            var seats: [Seat] = []
            for (number, group) in groups.enumerated() {
                let loop = group.next()
                let channel = try await DatagramBootstrap(group: loop).connect(host: "127.0.0.1", port: 9).get()
                seats.append(Seat(number: number, executor: EventLoopExecutor(loop), channel: channel))
            }
            let value = try await body(BenchPinned(seats: seats, seconds: seconds))
            for seat in seats { try await seat.channel.close() }
            for group in groups { try await group.shutdownGracefully() }
            return value
        } catch {
            for group in groups { try? await group.shutdownGracefully() }
            throw error
        }
    }

    /// By so many seats at a time: the mean of those that are measured one after the other, so that no core is judged
    /// by another one. `make` runs on the seat's own thread, and what it makes is asked there alone.
    func measure(by count: Int, _ make: @escaping @Sendable (Seat) async throws -> Turn) async throws -> Turns {
        var mean = Turns()
        let starts = Array(stride(from: 0, through: seats.count - count, by: count)), share = 1 / Double(starts.count)
        for start in starts {
            let turns = try await together(seats[start..<start + count], make)
            mean.perSecond += turns.perSecond * share
            mean.waits += turns.waits * share
            mean.cpu += turns.cpu * share
            mean.share += turns.share * share
            mean.all += turns.all
        }
        return mean
    }

    private func together(
        _ seats: ArraySlice<Seat>, _ make: @escaping @Sendable (Seat) async throws -> Turn
    ) async throws -> Turns {
        let begin = ContinuousClock.now + Self.warmUp, end = begin + .seconds(seconds), first = seats.startIndex
        let parts = try await withThrowingTaskGroup(of: Part.self) { group in
            for seat in seats {
                group.addTask(executorPreference: seat.executor) {
                    let turn = try await make(seat)
                    var number = 0
                    while ContinuousClock.now < begin {
                        try await turn(number)
                        number += 1
                    }
                    let warm = number, start = ContinuousClock.now, cpu = BenchCoreSet.threadSeconds
                    let waits = BenchCoreSet.waits
                    while ContinuousClock.now < end {
                        try await turn(number)
                        number += 1
                    }
                    // Waits are those of the whole process: one of the seats counts.
                    return Part(
                        turns: number - warm, all: number, seconds: (ContinuousClock.now - start) / .seconds(1),
                        cpu: BenchCoreSet.threadSeconds - cpu,
                        waits: seat.number == first ? BenchCoreSet.waits - waits : 0)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let count = Double(max(1, parts.reduce(0) { $0 + $1.turns })), cpu = parts.reduce(0) { $0 + $1.cpu }
        var turns = Turns()
        turns.perSecond = parts.reduce(0) { $0 + Double($1.turns) / $1.seconds }
        turns.all = parts.reduce(0) { $0 + $1.all }
        turns.waits = Double(parts.reduce(0) { $0 + $1.waits }) / count * 1_000
        turns.cpu = cpu / count
        turns.share = cpu / parts.reduce(0) { $0 + $1.seconds }
        return turns
    }
}

/// The cores of this process, and what the kernel says of its threads.
enum BenchCoreSet {
    /// Those on which it may run, by the kernel's numbers: `0-1,4` in /proc.
    static var own: [Int] {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        let list = line?.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "0"
        let cores = list.split(separator: ",").flatMap { range -> [Int] in
            let ends = range.split(separator: "-").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last, first <= last else { return [] }
            return Array(first...last)
        }
        return cores.isEmpty ? [0] : cores
    }

    /// CPU of the thread that asks.
    static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// How often a thread of this process has waited, be it for a lock, a timer or a socket (getrusage(2)).
    static var waits: Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return Int(usage.ru_nvcsw)
    }
}
