import Foundation
import Synchronization

/// One server of a connection string, which may name several (libpq, 34.1.1.3).
struct HostEntry: Sendable, Equatable {
    var host: String?
    var address: String?
    var port: String?
    /// Not one of a list that libpq must take apart, or refuse.
    var isSingle = true

    /// As messages name it.
    var name: String {
        [host ?? (isSingle ? "the default host" : "the server"), address.map { "(\($0))" }, port.map { "port \($0)" }]
            .compactMap(\.self).joined(separator: " ")
    }

    var parameters: [String: String] {
        guard isSingle else { return [:] }
        return ["host": host, "hostaddr": address, "port": port].compactMapValues(\.self)
    }

    /// A list for each of `host`, `hostaddr` and `port`; one port is good for all. Where the counts do not match, the
    /// whole is one entry, and libpq says what is wrong with it.
    static func list(_ given: [String: String], environment: [String: String]) -> [HostEntry] {
        func items(_ name: String) -> [String?] {
            guard let text = given[name] ?? environment[name], !text.isEmpty else { return [] }
            return text.split(separator: ",", omittingEmptySubsequences: false).map { $0.isEmpty ? nil : String($0) }
        }
        let names = items("host"), addresses = items("hostaddr"), ports = items("port")
        let count = max(1, names.count, addresses.count)
        let fits =
            [names, addresses].allSatisfy { $0.isEmpty || $0.count == count } && [0, 1, count].contains(ports.count)
        guard given["service"] == nil, fits else { return [HostEntry(isSingle: false)] }
        return (0..<count).map { index in
            HostEntry(
                host: names.isEmpty ? nil : names[index], address: addresses.isEmpty ? nil : addresses[index],
                port: ports.isEmpty ? nil : ports[ports.count == 1 ? 0 : index])
        }
    }

    /// One entry for each address of a name, so that a silent one does not keep us from the next. The name stays with
    /// them, as certificates are made out to it.
    var addresses: [HostEntry] {
        guard isSingle, address == nil, let host, !host.hasPrefix("/"), !host.hasPrefix("@") else { return [self] }
        var hints = addrinfo(), found: UnsafeMutablePointer<addrinfo>?
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        guard getaddrinfo(host, nil, &hints, &found) == 0 else { return [self] }
        defer { freeaddrinfo(found) }
        var entries: [HostEntry] = []
        var next = found
        while let one = next {
            next = one.pointee.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = one.pointee.ai_addrlen
            guard getnameinfo(one.pointee.ai_addr, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else {
                continue
            }
            let entry = HostEntry(
                host: host,
                address: String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self),
                port: port)
            if !entries.contains(entry) { entries.append(entry) }
        }
        return entries.count > 1 ? entries : [self]
    }
}

/// What all connections of a process have learnt about hosts.
final class HostMemory: Sendable {
    private struct State {
        var silent: [String: ContinuousClock.Instant] = [:]
        var refusing: Set<String> = []
        var doubts: [String: String] = [:]
    }

    /// A host that was silent is asked last for so long.
    static let grudge = Duration.seconds(30)
    private let state = Mutex(State())

    func noticeSilence(of place: String) { state.withLock { $0.silent[place] = .now + HostMemory.grudge } }
    func noticeAnswer(of place: String) {
        state.withLock {
            $0.silent[place] = nil
            $0.doubts[place] = nil
        }
    }
    func noticeRefusal(of place: String) { state.withLock { _ = $0.refusing.insert(place) } }

    /// What the break of one connection suggests holds for the next, until one of this place is ready: a pooler that
    /// breaks off does so at once or a statement later, and the last to break is the one that is told of.
    func noticeDoubt(_ doubt: String, of place: String) { state.withLock { $0.doubts[place] = doubt } }
    func doubt(of place: String) -> String { state.withLock { $0.doubts[place] ?? "" } }

    func isSilent(_ place: String) -> Bool { state.withLock { $0.silent[place].map { $0 > .now } ?? false } }
    func refusesOptions(_ place: String) -> Bool { state.withLock { $0.refusing.contains(place) } }
}
