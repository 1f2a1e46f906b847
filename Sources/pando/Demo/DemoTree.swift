import Simulators

/// The tokens of one walk as a line: version ─ instance token ─ PAT ─ assertion │ service token ─ app token.
struct DemoTree: Sendable {
    private let root: String
    private var tokens: [DemoToken.Kind] = []
    private var dead: Set<DemoToken.Kind> = []

    init(version: String) { root = "version \(version)" }

    mutating func grow(_ kind: DemoToken.Kind) { if !tokens.contains(kind) { tokens.append(kind) } }

    mutating func die(_ kind: DemoToken.Kind) { dead.insert(kind) }

    /// The last grown stands out; the dead are struck through, or marked where there is no colour.
    func drawing(_ pen: DemoPen) -> String {
        tokens.reduce(pen.faint(root)) { line, kind in
            let word = kind == .assertion ? "assertion" : kind.rawValue
            let text =
                dead.contains(kind) ? pen.struck(word) : kind == tokens.last && dead.isEmpty ? pen.fresh(word) : word
            return line + pen.faint(kind == .service ? " │ " : " ─ ") + text
        }
    }
}

/// Colours of the terminal, or none (no-color.org).
struct DemoPen: Sendable {
    let isColoured: Bool

    func strong(_ text: String) -> String { paint(text, "1") }
    func faint(_ text: String) -> String { paint(text, "2") }
    func fresh(_ text: String) -> String { paint(text, "1;32") }
    func bad(_ text: String) -> String { paint(text, "31") }
    func struck(_ text: String) -> String { isColoured ? paint(text, "9;31") : "✗" + text }

    private func paint(_ text: String, _ codes: String) -> String {
        isColoured ? "\u{1B}[\(codes)m\(text)\u{1B}[0m" : text
    }
}
