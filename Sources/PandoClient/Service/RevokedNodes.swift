import Foundation

/// What has ended and what has moved, by the pseudonyms of one service, for as long as a token may live that hung there
/// before: pure memory, fed with events in the order of their numbers.
struct RevokedNodes: Sendable {
    private struct Ended { let number: Int, at: TimeInterval }
    private struct Moved { let number: Int, from: String, to: String, at: TimeInterval }

    /// A pseudonym has the shape of a UUID, and is kept as the 16 bytes that it is: a million of them take some 60 MB.
    private var ended: [UUID: Ended] = [:]
    /// Those of another shape, `signer:KID`, are few. Who stole a key dates tokens as he likes, so they are kept.
    private var signers: [String: Ended] = [:]
    /// By the node below which an ancestor was changed for another.
    private var moves: [String: [Moved]] = [:]
    /// Seconds for which they are kept: the longest life of a token, and the difference of clocks.
    private let keep: TimeInterval

    init(keep: TimeInterval) { self.keep = keep }

    var count: Int { ended.count + signers.count }

    /// `number` is the event's `seq`, `at` its time in seconds since 1970. Taking one twice changes nothing.
    mutating func take(_ event: SecurityEventToken.Event, number: Int, at: TimeInterval) {
        switch event {
        case .ended(let node):
            let entry = Ended(number: number, at: at)
            if let id = UUID(uuidString: node) {
                if ended[id] == nil { ended[id] = entry }
            } else if signers[node] == nil {
                signers[node] = entry
            }
        case .moved(let node, let from, let to):
            guard !moves[node, default: []].contains(where: { $0.number == number }) else { return }
            moves[node, default: []].append(Moved(number: number, from: from, to: to, at: at))
        case .policy, .other:
            break
        }
    }

    /// Whether what hangs from `lineage` has ended. A token that was made before its app was updated names the old
    /// version; what ended that before the update ended the token, what ends the new one since ends it as well.
    func isRevoked(_ lineage: [String]) -> Bool {
        if moves.isEmpty { return lineage.contains { end(of: $0) != nil } }
        let own = lineage.flatMap { moves[$0] ?? [] }.sorted { $0.number < $1.number }
        for node in lineage {
            // Which name the ancestor has had, and up to which event.
            var name = node
            for move in own where move.from == name {
                if let end = end(of: name), end < move.number { return true }
                name = move.to
            }
            if end(of: name) != nil { return true }
        }
        return false
    }

    private func end(of node: String) -> Int? {
        UUID(uuidString: node).map { ended[$0]?.number } ?? signers[node]?.number
    }

    /// For when numbers begin anew: what has ended ended before all that comes, and what was moved is told again as far
    /// as it still is.
    mutating func renumber() {
        ended = ended.mapValues { Ended(number: 0, at: $0.at) }
        signers = signers.mapValues { Ended(number: 0, at: $0.at) }
        moves = [:]
    }

    /// Lets go of what no living token can hang from any more.
    mutating func forget(at now: TimeInterval) {
        let oldest = now - keep
        ended = ended.filter { $0.value.at >= oldest }
        for (node, kept) in moves {
            let young = kept.filter { $0.at >= oldest }
            moves[node] = young.isEmpty ? nil : young
        }
    }
}
