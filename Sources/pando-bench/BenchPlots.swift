import Foundation

/// A report as pictures: what a request costs and how near it comes to its ceiling, and this server beside others.
struct BenchPlots {
    private static let line = 22
    private static let left = 230
    private static let wide = 520

    let report: BenchReport

    /// `requests.svg`, and `peers.svg` where others were measured.
    func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(requests.utf8).write(to: folder.appendingPathComponent("requests.svg"))
        let peers = peers
        if !peers.isEmpty { try Data(peers.utf8).write(to: folder.appendingPathComponent("peers.svg")) }
    }

    /// Microseconds of CPU of server and PostgreSQL for each request; behind it rate and ratio to the ceiling.
    var requests: String {
        let rows = report.rows.compactMap { row in
            row.cost.flatMap { cost in cost.serverCPU.map { (row, $0, cost.postgresCPU ?? 0) } }
        }.filter { $0.1 > 0 }
        let most = rows.map { $0.1 + $0.2 }.max() ?? 1
        var lines: [String] = []
        for (place, (row, server, postgres)) in rows.enumerated() {
            let y = place * BenchPlots.line
            let first = server / most * Double(BenchPlots.wide), second = postgres / most * Double(BenchPlots.wide)
            let ratio = report.ratio(of: row).map { String(format: ", %.2f of its ceiling", $0) } ?? ""
            lines.append(label(row.name, y))
            lines.append(bar(0, first, y, "#5b8db8") + bar(first, second, y, "#7fae7f"))
            lines.append(
                note(first + second, y, String(format: "%.0f + %.0f µs, %.0f/s", server, postgres, row.value) + ratio))
        }
        return picture("CPU of one request: server (blue) and PostgreSQL (green)", lines, rows: rows.count)
    }

    /// Rates, each as long as it is to the best of its group.
    var peers: String {
        var lines: [String] = [], place = 0
        for name in BenchPeers.names {
            guard let own = report.value(of: name) else { continue }
            let others = report.rows.filter { $0.name.hasPrefix(name + ": ") }
            guard !others.isEmpty else { continue }
            let group = [("Pando", own)] + others.map { (String($0.name.dropFirst(name.count + 2)), $0.value) }
            let most = group.map(\.1).max() ?? 1
            for (who, value) in group {
                let y = place * BenchPlots.line, width = value / most * Double(BenchPlots.wide)
                lines.append(label(who == "Pando" ? "\(name): Pando" : who, y))
                lines.append(bar(0, width, y, who == "Pando" ? "#5b8db8" : "#c9c9c9"))
                lines.append(note(width, y, String(format: "%.0f/s", value)))
                place += 1
            }
            place += 1
        }
        return lines.isEmpty ? "" : picture("Requests a second, one run, one machine", lines, rows: place)
    }

    // MARK: Parts

    private func picture(_ title: String, _ lines: [String], rows: Int) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 \(rows * BenchPlots.line + 40)" \
        font-family="sans-serif" font-size="12">
        <rect width="1000" height="\(rows * BenchPlots.line + 40)" fill="#ffffff"/>
        <text x="10" y="20" font-size="14">\(BenchPlots.escaped(title))</text>
        <g transform="translate(0 34)">
        \(lines.joined(separator: "\n"))
        </g>
        </svg>

        """
    }

    private func label(_ text: String, _ y: Int) -> String {
        "<text x=\"\(BenchPlots.left - 8)\" y=\"\(y + 14)\" text-anchor=\"end\">\(BenchPlots.escaped(text))</text>"
    }

    private func bar(_ from: Double, _ width: Double, _ y: Int, _ color: String) -> String {
        let (x, w) = (String(format: "%.1f", Double(BenchPlots.left) + from), String(format: "%.1f", max(1, width)))
        return "<rect x=\"\(x)\" y=\"\(y + 2)\" width=\"\(w)\" height=\"16\" fill=\"\(color)\"/>"
    }

    /// Behind a bar, or where that would run out of the picture, inside it.
    private func note(_ width: Double, _ y: Int, _ text: String) -> String {
        let isInside = width > Double(BenchPlots.wide) * 0.75
        let x = Double(BenchPlots.left) + width + (isInside ? -6 : 6)
        let place = "x=\"\(String(format: "%.1f", x))\" y=\"\(y + 14)\""
        return "<text \(place) \(isInside ? "text-anchor=\"end\" " : "")fill=\"#222222\">\(text)</text>"
    }

    /// Text of a picture (XML 1.0, 2.4).
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
