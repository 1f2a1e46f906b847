import Base

/// Which members of the items of a list are its columns.
struct ColumnChoice {
    /// A column that may be shortened is, when there is no room for all of it, but never below this.
    private static let readable = 24

    /// What the command thinks people want to see, the most wanted first; none where it has no opinion.
    let preferred: [String]
    let terminal: Terminal

    /// For people who did not ask for any: on a terminal what is wanted and says something, elsewhere all that is no
    /// object.
    func names(_ items: [JSONValue]) -> [String] {
        guard let first = items.first?.object else { return [] }
        let all = first.members.filter { $0.value.object == nil }.map(\.name)
        guard terminal.width != nil else { return all }
        let wanted = preferred.filter(all.contains)
        return (wanted.isEmpty ? all : wanted).filter { name in items.contains { ColumnChoice.says($0[name]) } }
    }

    private static func says(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null?: false
        case .array(let items)?: !items.isEmpty
        default: true
        }
    }

    /// How wide each column may be; those at 0 have no room, the first always has.
    func limits(_ widths: [Int]) -> [Int] {
        guard let room = terminal.width else { return widths }
        var limits = widths.map { _ in 0 }, used = 0
        for (column, width) in widths.enumerated() {
            let least = min(width, ColumnChoice.readable), gap = used == 0 ? 0 : 2
            guard used == 0 || used + gap + least <= room else { continue }
            limits[column] = used == 0 ? min(least, room) : least
            used += gap + limits[column]
        }
        // What is left goes to those that were shortened, from the first on.
        for (column, width) in widths.enumerated() where limits[column] > 0 {
            let more = min(width - limits[column], room - used)
            guard more > 0 else { continue }
            limits[column] += more
            used += more
        }
        return limits
    }
}
