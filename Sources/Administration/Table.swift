/// Aligned columns for people.
public struct Table {
    private let lines: [[String]]

    public init(_ head: [String], _ rows: [[String]]) { lines = [head.map { $0.uppercased() }] + rows }

    public var text: String {
        let widths = (lines.first ?? []).indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            zip(line, widths).enumerated().map { index, cell in
                index == widths.count - 1 ? cell.0 : cell.0 + String(repeating: " ", count: cell.1 - cell.0.count + 2)
            }.joined()
        }.joined(separator: "\n")
    }
}
