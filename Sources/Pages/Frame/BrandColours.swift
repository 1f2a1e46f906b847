import Base
import Foundation

/// The colours of all pages, made of one: of buttons and links in the light scheme, and lighter in the dark one, so
/// that every text has 4.5:1 to its ground (WCAG 2.2, 1.4.3).
public struct BrandColours: Sendable {
    /// Red, green, blue, each 0 to 1 (sRGB).
    typealias Colour = [Double]

    /// A colour on which nobody could read.
    public struct Unreadable: Error, Sendable, CustomStringConvertible {
        /// The nearest that can be taken.
        public let nearest: String
        let ratio: Double

        public var description: String {
            "text of it has \(String(format: "%.1f", ratio)):1 on our pages, and WCAG AA asks for 4.5:1; the nearest "
                + "that has that is \(nearest)"
        }
    }

    /// The grounds of `Stylesheet`: the darkest of the light ones, the lightest of the dark ones.
    private static let paper: Colour = parsed("f8f7f2") ?? [], dark: Colour = parsed("1b221e") ?? []
    private static let white: Colour = [1, 1, 1], black: Colour = [0, 0, 0]
    private static let least = 4.5

    private let colour: Colour

    /// `#rrggbb`; `nil` for anything else.
    public init?(_ text: String) throws(Unreadable) {
        guard text.hasPrefix("#"), let colour = BrandColours.parsed(text.dropFirst()) else { return nil }
        let ratio = BrandColours.contrast(colour, BrandColours.paper)
        guard ratio >= BrandColours.least else {
            let near = BrandColours.mixed(colour, BrandColours.black) {
                BrandColours.contrast($0, BrandColours.paper) >= BrandColours.least
            }
            throw Unreadable(nearest: BrandColours.text(near), ratio: ratio)
        }
        self.colour = colour
    }

    var version: String { Base64URL.encode(Digest.sha256(style).prefix(6)) }

    /// Of buttons, with white letters on them.
    public var button: String { BrandColours.text(colour) }

    /// Behind `Stylesheet`. Grounds and the lines of fields stay as they are there.
    public var style: String {
        let light = colour, strong = BrandColours.between(colour, BrandColours.black, 0.3)
        let wash = BrandColours.mixed(colour, BrandColours.white, from: 0.85) {
            BrandColours.contrast(strong, $0) >= BrandColours.least
        }
        let bright = BrandColours.mixed(colour, BrandColours.white) {
            BrandColours.contrast($0, BrandColours.dark) >= 6
        }
        let brighter = BrandColours.between(bright, BrandColours.white, 0.35)
        let shade = BrandColours.between(colour, BrandColours.black, 0.8)
        let deep = BrandColours.between(colour, BrandColours.black, 0.45)
        func text(_ colour: Colour) -> String { BrandColours.text(colour) }
        return """
            :root { --leaf: \(text(light)); --leaf-strong: \(text(strong)); --on-leaf: #ffffff; --wash: \(text(wash)); \
            --ring: \(text(strong)); --soil: \(text(deep)); }
            @media (prefers-color-scheme: dark) { :root { --leaf: \(text(bright)); --leaf-strong: \(text(brighter)); \
            --on-leaf: #000000; --wash: \(text(shade)); --ring: \(text(brighter)); --soil: \(text(deep)); } }
            .door > header { background: var(--soil); }
            .door .blade { fill: #ffffff; }
            .door .veins { stroke: var(--soil); }
            """
    }

    // MARK: Colours

    private static func parsed(_ digits: some StringProtocol) -> Colour? {
        guard digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit), let value = Int(digits, radix: 16) else {
            return nil
        }
        return [value >> 16 & 255, value >> 8 & 255, value & 255].map { Double($0) / 255 }
    }

    private static func text(_ colour: Colour) -> String {
        "#"
            + colour.map { part in
                let digits = String(Int((part * 255).rounded()), radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
    }

    private static func between(_ one: Colour, _ other: Colour, _ share: Double) -> Colour {
        zip(one, other).map { $0 + ($1 - $0) * share }
    }

    /// The first on the way from one to the other that will do, as it is written: in steps of a hundredth.
    private static func mixed(
        _ one: Colour, _ other: Colour, from share: Double = 0, _ isFit: (Colour) -> Bool
    ) -> Colour {
        for step in Int(share * 100)..<100 {
            let colour = between(one, other, Double(step) / 100)
            let written = parsed(text(colour).dropFirst()) ?? colour
            if isFit(written) { return written }
        }
        return other
    }

    /// WCAG 2.2, relative luminance and contrast ratio.
    private static func contrast(_ one: Colour, _ other: Colour) -> Double {
        let lights = [one, other].map { colour in
            zip([0.2126, 0.7152, 0.0722], colour).reduce(0.0) {
                $0 + $1.0 * ($1.1 <= 0.04045 ? $1.1 / 12.92 : pow(($1.1 + 0.055) / 1.055, 2.4))
            }
        }.sorted()
        return (lights[1] + 0.05) / (lights[0] + 0.05)
    }
}
