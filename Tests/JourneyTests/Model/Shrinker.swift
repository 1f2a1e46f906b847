/// Delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002), the simple form:
/// takes out halves, then quarters, down to single elements, then any two of them, as long as something can go.
enum Shrinker {
    /// `failing` gives the part of a list that it went through until it failed, `nil` when it did not. Asked `attempts`
    /// times at most.
    static func shrink<Element>(
        _ list: [Element], attempts: Int, failing: ([Element]) async throws -> [Element]?
    ) async rethrows -> [Element] {
        var list = list, left = attempts
        func without(_ places: [Int]) async throws -> Bool {
            guard left > 0 else { return false }
            left -= 1
            let rest = list.indices.filter { !places.contains($0) }.map { list[$0] }
            guard let failed = try await failing(rest) else { return false }
            list = failed
            return true
        }
        var size = max(1, list.count / 2)
        while left > 0 {
            var isShorter = false, start = 0
            while start < list.count, left > 0 {
                if try await without(Array(start..<min(start + size, list.count))) {
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { break }
            size = max(1, size / 2)
        }
        // One may only make sense with the other: who is registered, and who is disconnected again.
        var pair = (0, 1)
        while pair.0 < list.count - 1, left > 0 {
            if try await without([pair.0, pair.1]) {
                pair = (0, 1)
            } else {
                pair = pair.1 + 1 < list.count ? (pair.0, pair.1 + 1) : (pair.0 + 1, pair.0 + 2)
            }
        }
        return list
    }
}
