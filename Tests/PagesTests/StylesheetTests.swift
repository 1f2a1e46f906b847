import Foundation
import Pages
import Testing

@Suite("The style sheet")
struct StylesheetTests {
    /// The colours by name: of the light scheme, and of the dark one.
    static let schemes: [[String: [Double]]] = {
        let roots = Stylesheet.text.matches(of: #/:root \{ ?([^}]*--paper[^}]*)\}/#).map { String($0.1) }
        return roots.map { root in
            root.matches(of: #/--([a-z\-]+): #([0-9a-f]{6}|[0-9a-f]{3});/#).reduce(into: [:]) { colours, match in
                let digits = match.2.count == 3 ? match.2.map { "\($0)\($0)" }.joined() : String(match.2)
                let value = Int(digits, radix: 16) ?? 0
                colours[String(match.1)] = [value >> 16 & 255, value >> 8 & 255, value & 255].map { Double($0) / 255 }
            }
        }
    }()

    /// WCAG 2.2, relative luminance and contrast ratio.
    static func contrast(_ one: [Double], _ other: [Double]) -> Double {
        let lights = [one, other].map { colour in
            zip([0.2126, 0.7152, 0.0722], colour).reduce(0) {
                $0 + $1.0 * ($1.1 <= 0.04045 ? $1.1 / 12.92 : pow(($1.1 + 0.055) / 1.055, 2.4))
            }
        }.sorted()
        return (lights[1] + 0.05) / (lights[0] + 0.05)
    }

    @Test(
        "text has 4.5:1 in both schemes, edges of fields and the ring of the focus have 3:1",
        arguments: [
            ("ink", "paper", 4.5), ("ink", "card", 4.5), ("quiet", "paper", 4.5), ("quiet", "card", 4.5),
            ("leaf", "paper", 4.5), ("leaf", "card", 4.5),
            ("leaf-strong", "wash", 4.5), ("on-leaf", "leaf", 4.5),
            ("on-leaf", "leaf-strong", 4.5), ("bad", "bad-wash", 4.5), ("warn", "warn-wash", 4.5), ("edge", "paper", 3),
            ("edge", "card", 3), ("bad-line", "card", 3),
            ("ring", "paper", 3), ("ring", "card", 3),
        ])
    func contrasts(text: String, ground: String, least: Double) throws {
        #expect(Self.schemes.count == 2)
        for scheme in Self.schemes {
            let ratio = Self.contrast(try #require(scheme[text]), try #require(scheme[ground]))

            #expect(ratio >= least, "\(text) on \(ground): \(ratio)")
        }
    }

    @Test("nothing is fetched for it, and its braces are even")
    func closed() {
        #expect(
            Stylesheet.text.matches(of: #/url\("([^"]*)"\)/#).allSatisfy { $0.1.hasPrefix("data:image/svg+xml,%3Csvg") }
        )
        #expect(!Stylesheet.text.contains("@import") && !Stylesheet.text.contains("<"))
        #expect(Stylesheet.text.count { $0 == "{" } == Stylesheet.text.count { $0 == "}" })
    }

    @Test("a page asks for the style sheet by its version")
    func version() {
        let page = ProblemPage(.en, .notFound, code: "not_found", detail: "gone").html

        #expect(
            page.firstMatch(of: #/<link rel="stylesheet" href="\/assets\/pando\.css\?v=[A-Za-z0-9_\-]{8}">/#) != nil)
    }
}
