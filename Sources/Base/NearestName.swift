/// The name that somebody who mistyped one may have meant.
public enum NearestName {
    /// That of `known` which differs by the fewest letters put in, left out or replaced; the first of several.
    public static func of(_ name: String, among known: [String]) -> String {
        known.min { distance(name, $0) < distance(name, $1) } ?? ""
    }

    /// The nearest, where it is so near that it is worth a question: a third of the letters may differ, two at least
    /// of a longer word.
    public static func meant(by name: String, among known: [String]) -> String? {
        let folded = name.lowercased(), most = max(name.count > 3 ? 2 : 1, name.count / 3)
        let near = known.map { (name: $0, distance: distance(folded, $0.lowercased())) }.filter { $0.distance <= most }
        return near.min { $0.distance < $1.distance }?.name
    }

    /// Levenshtein's, row by row.
    private static func distance(_ one: String, _ other: String) -> Int {
        let columns = Array(other.utf8)
        var row = Array(0...columns.count)
        for (line, letter) in one.utf8.enumerated() {
            var next = [line + 1]
            for (column, compared) in columns.enumerated() {
                next.append(min(row[column] + (letter == compared ? 0 : 1), row[column + 1] + 1, next[column] + 1))
            }
            row = next
        }
        return row.last ?? 0
    }
}
