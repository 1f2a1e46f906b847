import Foundation

/// The figures as lines over the logarithm of the size, one part below the other.
struct BenchGrowthPlot {
    private static let colors = ["#5b8db8", "#7fae7f", "#c98b5b", "#9a6fb0", "#b85b6e"]
    private static let left = 70.0
    private static let wide = 600.0
    private static let high = 200.0
    /// From one part to the next.
    private static let step = 290

    let figures: BenchGrowthFigures

    /// `growth.svg`.
    func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(picture.utf8).write(to: folder.appendingPathComponent("growth.svg"))
    }

    var picture: String {
        let parts = BenchGrowthFigures.Part.allCases.map { part in
            (part, figures.lines.filter { $0.part == part })
        }.filter { !$0.1.isEmpty }
        let height = parts.count * Self.step + 10
        let drawn = parts.enumerated().map { place, part in
            "<g transform=\"translate(0 \(place * Self.step))\">\n" + draw(part.0, part.1) + "\n</g>"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 \(height)" font-family="sans-serif" \
            font-size="12">
            <rect width="1000" height="\(height)" fill="#ffffff"/>
            \(drawn.joined(separator: "\n"))
            </svg>

            """
    }

    // MARK: Parts

    private func draw(_ part: BenchGrowthFigures.Part, _ lines: [BenchGrowthFigures.Line]) -> String {
        let points = lines.flatMap(\.points), sizes = Set(points.map(\.size)).sorted()
        let most = Self.round(points.map(\.value).max() ?? 1)
        let (low, top) = (log10(Double(sizes.first ?? 1)), log10(Double(sizes.last ?? 1)))
        func x(_ size: Int) -> Double {
            top > low ? Self.left + (log10(Double(size)) - low) / (top - low) * Self.wide : Self.left
        }
        func y(_ value: Double) -> Double { 40 + Self.high * (1 - value / most) }
        var drawn = ["<text x=\"10\" y=\"22\" font-size=\"14\">\(BenchPlots.escaped(part.rawValue))</text>"]
        for quarter in 0...4 {
            let value = most * Double(quarter) / 4
            drawn.append(
                line([(Self.left, y(value)), (Self.left + Self.wide, y(value))], quarter == 0 ? "#888888" : "#e4e4e4"))
            drawn.append(text(Self.left - 8, y(value) + 4, number(value), "end"))
        }
        for size in sizes {
            drawn.append(text(x(size), y(0) + 18, BenchSizes.text(size), "middle"))
        }
        for (place, one) in lines.enumerated() {
            let color = Self.colors[place % Self.colors.count]
            drawn.append(line(one.points.map { (x($0.size), y($0.value)) }, color, width: 2))
            for point in one.points {
                drawn.append(
                    "<circle cx=\"\(short(x(point.size)))\" cy=\"\(short(y(point.value)))\" r=\"3\" "
                        + "stroke=\"\(color)\" fill=\"\(point.isHollow ? "#ffffff" : color)\"/>")
            }
            let beside = Self.left + Self.wide + 24, below = 52 + Double(place) * 20
            drawn.append(line([(beside, below - 4), (beside + 18, below - 4)], color, width: 3))
            let last = one.points.last.map { ", \(number($0.value)) at last" } ?? ""
            drawn.append(text(beside + 26, below, one.name + last, "start"))
        }
        return drawn.joined(separator: "\n")
    }

    /// At least `value`, and four times a number that is easily read.
    private static func round(_ value: Double) -> Double {
        let quarter = max(value, 0.01) / 4, power = pow(10, floor(log10(quarter)))
        return 4 * power * ([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8].first { $0 * power >= quarter } ?? 10)
    }

    private func line(_ points: [(Double, Double)], _ color: String, width: Int = 1) -> String {
        let path = points.map { "\(short($0.0)),\(short($0.1))" }.joined(separator: " ")
        return "<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"\(width)\"/>"
    }

    private func text(_ x: Double, _ y: Double, _ text: String, _ anchor: String) -> String {
        "<text x=\"\(short(x))\" y=\"\(short(y))\" text-anchor=\"\(anchor)\" fill=\"#222222\">"
            + "\(BenchPlots.escaped(text))</text>"
    }

    private func short(_ value: Double) -> String { String(format: "%.1f", value) }
    private func number(_ value: Double) -> String { String(format: value < 100 ? "%.1f" : "%.0f", value) }
}
