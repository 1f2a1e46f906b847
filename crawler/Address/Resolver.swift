import Base
import Glibc
import Synchronization

/// Names to addresses, as a value that tests replace.
struct Resolver: Sendable {
    /// Every address of the name, in the order to try. Throws `dns` when there is none.
    let addresses: @Sendable (String) async throws -> [IPAddress]

    /// The machine's resolver, but for pinned names, which it is never asked for.
    static func system(pins: PinnedNames) -> Resolver {
        Resolver { name in
            if let pinned = pins.next(name) { return pinned }
            let answer = await LookUp.run(name)
            try Task.checkCancellation()
            guard let answer, !answer.isEmpty else { throw CrawlFailure(.dns, "\(name) has no address") }
            return answer
        }
    }
}

/// `PANDO_CRAWLER_RESOLVE`: `name=addr[+addr][/addr…],…`; `+` one answer with several addresses, `/` the answer of the
/// next look-up. The last answer stays.
public final class PinnedNames: Sendable {
    private let answers: [String: [[IPAddress]]]
    private let asked = Mutex<[String: Int]>([:])

    /// `nil` when an entry cannot be read.
    public init?(_ text: String) {
        var answers: [String: [[IPAddress]]] = [:]
        for entry in text.split(separator: ",") {
            let parts = entry.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let turns = parts[1].split(separator: "/").map { $0.split(separator: "+").map { IPAddress($0) } }
            guard !turns.isEmpty, turns.allSatisfy({ !$0.isEmpty && !$0.contains(nil) }) else { return nil }
            answers[parts[0].trimmingBlanks.lowercased()] = turns.map { $0.compactMap { $0 } }
        }
        self.answers = answers
    }

    public static let none = PinnedNames(answers: [:])
    private init(answers: [String: [[IPAddress]]]) { self.answers = answers }

    func pins(_ name: String) -> Bool { answers[name] != nil }

    func next(_ name: String) -> [IPAddress]? {
        guard let turns = answers[name] else { return nil }
        let turn = asked.withLock { asked in
            defer { asked[name, default: 0] += 1 }
            return asked[name, default: 0]
        }
        return turns[min(turn, turns.count - 1)]
    }
}

/// One call of getaddrinfo on a thread that may block, sixteen at a time. A caller that is cancelled goes on at once;
/// the thread ends when it ends.
private final class LookUp: Sendable {
    private static let threads = BlockingWork("crawler.names", atMost: 16)
    private let waiting = Mutex<CheckedContinuation<[IPAddress]?, Never>?>(nil)

    static func run(_ name: String) async -> [IPAddress]? {
        let lookUp = LookUp()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                lookUp.waiting.withLock { $0 = continuation }
                if Task.isCancelled { return lookUp.finish(nil) }
                threads.start { if lookUp.isWanted { lookUp.finish(ask(name)) } }
            }
        } onCancel: {
            lookUp.finish(nil)
        }
    }

    private var isWanted: Bool { waiting.withLock { $0 != nil } }

    private func finish(_ answer: [IPAddress]?) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: answer)
    }

    private static func ask(_ name: String) -> [IPAddress]? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &first) == 0 else { return nil }
        defer { freeaddrinfo(first) }
        var found: [IPAddress] = []
        var next = first
        while let entry = next?.pointee {
            if let address = address(entry), !found.contains(address) { found.append(address) }
            next = entry.ai_next
        }
        return found
    }

    private static func address(_ entry: addrinfo) -> IPAddress? {
        guard let raw = UnsafeRawPointer(entry.ai_addr) else { return nil }
        switch entry.ai_family {
        case AF_INET:
            return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { IPAddress(bytes: Array($0)) }
        case AF_INET6:
            return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) {
                IPAddress(bytes: Array($0))
            }
        default: return nil
        }
    }
}
