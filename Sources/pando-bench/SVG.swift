import Foundation

/// A picture of a report, without the ending of its file's name.
struct BenchPicture: Sendable {
    let name: String
    let svg: String

    /// Makes the folder unless there is one.
    static func write(_ pictures: [BenchPicture], to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for picture in pictures {
            try Data(picture.svg.utf8).write(to: folder.appendingPathComponent("\(picture.name).svg"))
        }
    }
}

/// Parts of pictures (SVG 1.1), 1000 wide; y grows downwards.
enum SVG {
    enum Anchor: String { case start, middle, end }

    /// On white.
    static func document(height: Int, fontSize: Int = 12, _ parts: [String]) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 \(height)" font-family="sans-serif" \
        font-size="\(fontSize)">
        <rect width="1000" height="\(height)" fill="#ffffff"/>
        \(parts.joined(separator: "\n"))
        </svg>

        """
    }

    /// Moved down.
    static func group(down y: Int, _ parts: [String]) -> String {
        "<g transform=\"translate(0 \(y))\">\n\(parts.joined(separator: "\n"))\n</g>"
    }

    static func text(_ text: String, x: Double, y: Double, _ anchor: Anchor = .start, size: Int? = nil) -> String {
        let place = "x=\"\(short(x))\" y=\"\(short(y))\""
        let anchored = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
        let sized = size.map { " font-size=\"\($0)\"" } ?? ""
        return "<text \(place)\(anchored)\(sized) fill=\"#222222\">\(escaped(text))</text>"
    }

    static func box(x: Double, y: Double, width: Double, height: Int, _ color: String) -> String {
        "<rect x=\"\(short(x))\" y=\"\(short(y))\" width=\"\(short(width))\" height=\"\(height)\" fill=\"\(color)\"/>"
    }

    static func line(_ points: [(x: Double, y: Double)], _ color: String, width: Int = 1) -> String {
        let path = points.map { "\(short($0.x)),\(short($0.y))" }.joined(separator: " ")
        return "<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"\(width)\"/>"
    }

    static func point(x: Double, y: Double, _ color: String, isHollow: Bool) -> String {
        "<circle cx=\"\(short(x))\" cy=\"\(short(y))\" r=\"3\" stroke=\"\(color)\" "
            + "fill=\"\(isHollow ? "#ffffff" : color)\"/>"
    }

    /// XML 1.0, 2.4.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private static func short(_ value: Double) -> String { String(format: "%.1f", value) }
}

/// Lines of bars, in groups with a gap between them; the longest of a group is as wide as the picture allows.
struct BarChart {
    struct Bar {
        let label: String
        /// One behind the other.
        let parts: [(value: Double, color: String)]
        let note: String

        var value: Double { parts.reduce(0) { $0 + $1.value } }
    }

    private static let line = 22
    private static let left = 270.0
    private static let wide = 480.0

    let title: String
    let groups: [[Bar]]

    var svg: String {
        var drawn: [String] = [], place = 0
        for group in groups where !group.isEmpty {
            let most = max(group.map(\.value).max() ?? 1, .leastNormalMagnitude)
            for bar in group {
                drawn.append(draw(bar, of: most, Double(place * Self.line)))
                place += 1
            }
            place += 1
        }
        return SVG.document(
            height: place * Self.line + 40, [SVG.text(title, x: 10, y: 20, size: 14), SVG.group(down: 34, drawn)])
    }

    private func draw(_ bar: Bar, of most: Double, _ y: Double) -> String {
        var x = Self.left, drawn = [SVG.text(bar.label, x: Self.left - 8, y: y + 14, .end)]
        for part in bar.parts {
            let width = part.value / most * Self.wide
            drawn.append(SVG.box(x: x, y: y + 2, width: max(1, width), height: 16, part.color))
            x += width
        }
        // Where the note would run out of the picture, it stands inside the bar.
        let isInside = x - Self.left > Self.wide * 0.75
        drawn.append(SVG.text(bar.note, x: x + (isInside ? -6 : 6), y: y + 14, isInside ? .end : .start))
        return drawn.joined(separator: "\n")
    }
}
