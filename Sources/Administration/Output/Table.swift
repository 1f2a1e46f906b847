/// Aligned columns for people.
public struct Table {
    private let lines: [[String]]

    public init(_ head: [String], _ rows: [[String]]) { lines = [head.map { $0.uppercased() }] + rows }

    public var text: String { text(limits: widths) { cell, _, _ in cell } }

    /// How wide each column is.
    var widths: [Int] {
        (lines.first ?? []).indices.map { column in lines.map { PlainText.width($0[column]) }.max() ?? 0 }
    }

    /// No column is wider than its limit: what is longer ends in `…`. `paint` gets each cell of the rows after it was
    /// measured, the word that was in it, and its column.
    func text(limits: [Int], paint: (_ cell: String, _ word: String, _ column: Int) -> String) -> String {
        let widths = zip(widths, limits).map(min)
        return lines.enumerated().map { row, line in
            line.enumerated().map { column, word in
                let cell = PlainText.fitted(word, to: widths[column])
                let blanks =
                    column == widths.count - 1
                    ? "" : String(repeating: " ", count: widths[column] - PlainText.width(cell) + 2)
                return (row == 0 ? cell : paint(cell, word, column)) + blanks
            }.joined()
        }.joined(separator: "\n")
    }
}
