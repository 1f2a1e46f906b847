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

    var picture: BenchPicture {
        let parts = BenchGrowthFigures.Part.allCases.map { part in
            (part, figures.lines.filter { $0.part == part })
        }.filter { !$0.1.isEmpty }
        let drawn = parts.enumerated().map { place, part in SVG.group(down: place * Self.step, draw(part.0, part.1)) }
        return BenchPicture(name: "growth", svg: SVG.document(height: parts.count * Self.step + 10, drawn))
    }

    // MARK: Parts

    private func draw(_ part: BenchGrowthFigures.Part, _ lines: [BenchGrowthFigures.Line]) -> [String] {
        let points = lines.flatMap(\.points), sizes = Set(points.map(\.size)).sorted()
        let most = Self.round(points.map(\.value).max() ?? 1)
        let (low, top) = (log10(Double(sizes.first ?? 1)), log10(Double(sizes.last ?? 1)))
        func x(_ size: Int) -> Double {
            top > low ? Self.left + (log10(Double(size)) - low) / (top - low) * Self.wide : Self.left
        }
        func y(_ value: Double) -> Double { 40 + Self.high * (1 - value / most) }
        var drawn = [SVG.text(part.rawValue, x: 10, y: 22, size: 14)]
        for quarter in 0...4 {
            let value = most * Double(quarter) / 4, right = Self.left + Self.wide
            drawn.append(SVG.line([(Self.left, y(value)), (right, y(value))], quarter == 0 ? "#888888" : "#e4e4e4"))
            drawn.append(SVG.text(number(value), x: Self.left - 8, y: y(value) + 4, .end))
        }
        for size in sizes { drawn.append(SVG.text(BenchSizes.text(size), x: x(size), y: y(0) + 18, .middle)) }
        for (place, one) in lines.enumerated() {
            let color = Self.colors[place % Self.colors.count]
            drawn.append(SVG.line(one.points.map { (x($0.size), y($0.value)) }, color, width: 2))
            for point in one.points {
                drawn.append(SVG.point(x: x(point.size), y: y(point.value), color, isHollow: point.isHollow))
            }
            let beside = Self.left + Self.wide + 24, below = 52 + Double(place) * 20
            drawn.append(SVG.line([(beside, below - 4), (beside + 18, below - 4)], color, width: 3))
            let last = one.points.last.map { ", \(number($0.value)) at last" } ?? ""
            drawn.append(SVG.text(one.name + last, x: beside + 26, y: below))
        }
        return drawn
    }

    /// At least `value`, and four times a number that is easily read.
    private static func round(_ value: Double) -> Double {
        let quarter = max(value, 0.01) / 4, power = pow(10, floor(log10(quarter)))
        return 4 * power * ([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8].first { $0 * power >= quarter } ?? 10)
    }

    private func number(_ value: Double) -> String { String(format: value < 100 ? "%.1f" : "%.0f", value) }
}
