import Foundation

/// What must happen to the rows of `signing_key`. Pure: it reads rows and a time, and returns steps in the order in
/// which the unique indexes (one active, one next per algorithm) allow them.
///
/// | active | next | `due` | `forced`, without now | `forced`, now |
/// |---|---|---|---|---|
/// | none | none | make both | make both | make both |
/// | none | any | promote, make next | promote, make next | promote, make next |
/// | any | none | make next | refused | retire, make both |
/// | young | any | – | refused before `notBefore` | retire, promote, make next |
/// | too old | announced | retire, promote, make next | the same | the same |
///
/// A next key sealed under another master key is refused (`wrongMasterKey`), and with `now` discarded and made anew:
/// that is the way out when a master key is lost.
///
/// `compromised`: the key ends, and the next one of its algorithm with it, which lay in the same store. An active one
/// retires. Both are made anew, so that relying parties see a kid that they do not know, and read the key set again.
enum RotationPlan {
    enum Step: Sendable, Equatable {
        case retire(kid: String)
        case promote(kid: String)
        case discard(kid: String)
        /// From now on it counts for nothing, whatever it was.
        case revoke(kid: String)
        case make(SigningAlgorithm, SigningKeyRow.Status)
        /// A retiring key whose last token has expired.
        case forget(kid: String)
    }

    static func due(
        _ rows: [SigningKeyRow], _ settings: SigningKeys.Settings, master: String, now: Date
    ) throws(SigningKeys.Failure) -> [Step] {
        var steps = rows.filter { $0.status == .retiring && !$0.isPublished(at: now) }.map { Step.forget(kid: $0.kid) }
        for algorithm in settings.algorithms {
            let keys = Pair(rows, algorithm)
            for key in [keys.active, keys.next].compactMap({ $0 }) { try check(key, master) }
            switch (keys.active, keys.next) {
            case (nil, let next): steps += fill(algorithm, next)
            case (_, nil): steps.append(.make(algorithm, .next))
            case (let active?, let next?):
                let old = active.notBefore + settings.lifetime <= now
                if old, next.notBefore <= now { steps += turn(algorithm, active, next) }
            }
        }
        return steps
    }

    /// `only` leaves the other algorithms alone.
    static func forced(
        now immediately: Bool, only: SigningAlgorithm? = nil, _ rows: [SigningKeyRow], _ settings: SigningKeys.Settings,
        master: String,
        now: Date
    ) throws(SigningKeys.Failure) -> [Step] {
        var steps: [Step] = []
        for algorithm in settings.algorithms where only == nil || only == algorithm {
            let keys = Pair(rows, algorithm)
            if let next = keys.next, next.sealedBy != master {
                guard immediately else { throw foreign(next, master) }
                steps.append(.discard(kid: next.kid))
                steps += turn(algorithm, keys.active, nil)
                continue
            }
            guard let active = keys.active else {
                steps += fill(algorithm, keys.next)
                continue
            }
            guard immediately || keys.next.map({ $0.notBefore <= now }) ?? false else {
                throw .notAnnounced(kid: keys.next?.kid, until: keys.next?.notBefore ?? now + settings.announcement)
            }
            steps += turn(algorithm, active, keys.next)
        }
        return steps
    }

    /// `rows` are those that count. Nothing for a key that is revoked already.
    static func compromised(_ key: SigningKeyRow, _ rows: [SigningKeyRow], _ settings: SigningKeys.Settings) -> [Step] {
        guard key.status != .revoked else { return [] }
        let end = Step.revoke(kid: key.kid)
        // Nobody trusts a retired one as it is. What a newer version of this program signs with is that version's to
        // make.
        guard key.status != .retired, let algorithm = SigningAlgorithm(rawValue: key.alg) else { return [end] }
        let others = Pair(rows.filter { $0.kid != key.kid }, algorithm)
        let steps =
            [end] + (others.next.map { [.revoke(kid: $0.kid)] } ?? [])
            + (others.active.map { [.retire(kid: $0.kid)] } ?? [])
        let isUsed =
            settings.algorithms.contains(algorithm) || key.status != .retiring || others.active != nil
            || others.next != nil
        return isUsed ? steps + fill(algorithm, nil) : steps
    }

    private struct Pair {
        let active: SigningKeyRow?
        let next: SigningKeyRow?

        init(_ rows: [SigningKeyRow], _ algorithm: SigningAlgorithm) {
            let ours = rows.filter { $0.alg == algorithm.rawValue }
            active = ours.first { $0.status == .active }
            next = ours.first { $0.status == .next }
        }
    }

    private static func fill(_ algorithm: SigningAlgorithm, _ next: SigningKeyRow?) -> [Step] {
        [next.map { .promote(kid: $0.kid) } ?? .make(algorithm, .active), .make(algorithm, .next)]
    }

    private static func turn(_ algorithm: SigningAlgorithm, _ active: SigningKeyRow?, _ next: SigningKeyRow?) -> [Step]
    {
        (active.map { [.retire(kid: $0.kid)] } ?? []) + fill(algorithm, next)
    }

    private static func check(_ row: SigningKeyRow, _ master: String) throws(SigningKeys.Failure) {
        guard row.sealedBy == master else { throw foreign(row, master) }
    }

    private static func foreign(_ row: SigningKeyRow, _ master: String) -> SigningKeys.Failure {
        .wrongMasterKey(kid: row.kid, sealedBy: row.sealedBy, ours: master)
    }
}
