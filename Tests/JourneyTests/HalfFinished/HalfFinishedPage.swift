/// The matrix as docs/half-finished.md shows it.
enum HalfFinishedPage {
    static let begin = "<!-- The matrix: held by HalfFinishedPageTests. -->", end = "<!-- The end of the matrix. -->"

    /// A table, whose numbers stand for the reasons below it.
    static var matrix: String {
        var reasons: [String] = []
        let rows = Artefact.allCases.map { artefact in
            let cells = EndingEvent.allCases.map { event -> String in
                guard case .lives(let reason) = Reach.of(artefact, event) else { return "**ends**" }
                if !reasons.contains(reason) { reasons.append(reason) }
                return "\((reasons.firstIndex(of: reason) ?? 0) + 1)"
            }
            return line([artefact.rawValue] + cells)
        }
        let head = [
            line([""] + EndingEvent.allCases.map(\.rawValue)),
            line(Array(repeating: "---", count: EndingEvent.allCases.count + 1)),
        ]
        let list = reasons.enumerated().map { "\($0.offset + 1). \($0.element)" }
        return (head + rows + [""] + list).joined(separator: "\n")
    }

    private static func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }
}
