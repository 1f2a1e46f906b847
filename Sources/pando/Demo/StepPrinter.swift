import Base
import Foundation
import Pages
import Simulators

/// One step of the walk, as it is told.
struct DemoStep: Sendable {
    let title: String
    /// What the title speaks of.
    let main: DemoExchange
    /// What had to come first, and what shows that it is so.
    var before: [DemoExchange] = []
    var after: [DemoExchange] = []
    /// The token that was made or that died.
    var token: DemoToken?
    var facts: JSONObject = [:]
    /// The token above is told of as dead.
    var isDeath = false
}

/// Tells the steps to a person, line by line, or to a program, as one array at the end.
struct StepPrinter: Sendable {
    enum Form: Sendable {
        case text
        case json
    }

    let form: Form
    let pen: DemoPen
    /// Draws the tree whenever it has grown; otherwise only when it is whole, and when it is dead.
    let drawsEachTime: Bool
    let tellsCurl: Bool
    let showsTokens: Bool
    private var steps: [JSONValue] = []

    init(
        _ form: Form, tellsCurl: Bool = false, showsTokens: Bool = false,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        (self.form, self.tellsCurl, self.showsTokens) = (form, tellsCurl, showsTokens)
        drawsEachTime = isatty(STDOUT_FILENO) == 1
        pen = DemoPen(
            isColoured: drawsEachTime && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb")
    }

    func begin(_ issuer: String) { begin(title: "The way of a phone app through \(issuer)") }

    func begin(title: String) { say("", pen.strong(title), "") }

    mutating func tell(_ step: DemoStep) {
        let number = steps.count + 1
        steps.append(json(step, number: number))
        guard form == .text else { return }
        var lines = [
            pen.strong("\(number < 10 ? " " : "")\(number)  ")
                + (step.isDeath ? pen.bad(step.title) : pen.strong(step.title))
        ]
        for exchange in step.before + [step.main] + step.after {
            lines.append(
                pen.faint(
                    tellsCurl
                        ? exchange.request.curl(whole: showsTokens)
                        : "\(exchange.request.method) \(exchange.request.path)") + pen.faint("  → \(exchange.status)"))
        }
        if let token = step.token, !step.isDeath {
            lines += [pen.fresh(token.name) + ", \(token.binding)", "    \(token.life)"]
        }
        lines += StepPrinter.columns(step.facts)
        say(lines[0], lines.dropFirst().map { "    " + $0 })
    }

    /// A step without tokens and tree.
    mutating func tell(
        _ title: String, before: [DemoExchange] = [], _ main: DemoExchange, after: [DemoExchange] = [],
        facts: JSONObject = [:]
    ) {
        tell(DemoStep(title: title, main: main, before: before, after: after, facts: facts))
        draw()
    }

    /// After a step. Without a tree only a line is left free; `isWhole`: nothing more will grow.
    func draw(_ tree: DemoTree? = nil, isWhole: Bool = false) {
        if let tree, isWhole || drawsEachTime { say("    " + tree.drawing(pen), "") } else { say("") }
    }

    /// The QR code of a link, black on white; where there is no colour, dark is what is drawn.
    func show(_ link: String) {
        guard form == .text, let code = try? QRCode(link) else { return }
        let drawing = pen.isColoured ? code.terminal : code.terminal.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
        StepPrinter.write(drawing.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n") + "\n\n")
    }

    func end(_ summary: String) {
        say(pen.strong(summary))
        if form == .json { StepPrinter.write(JSONValue.array(steps).prettyText + "\n") }
    }

    private func json(_ step: DemoStep, number: Int) -> JSONValue {
        var facts = step.facts
        facts["token"] = step.token?.json
        var object: JSONObject = [
            "step": .integer(number), "title": .string(step.title), "request": .object(json(step.main)),
            "status": .integer(step.main.status),
            "facts": .object(facts),
        ]
        let others = (step.before + step.after).map { exchange -> JSONValue in
            var request = json(exchange)
            request["status"] = .integer(exchange.status)
            return .object(request)
        }
        if !others.isEmpty { object["other_requests"] = .array(others) }
        return .object(object)
    }

    private func json(_ exchange: DemoExchange) -> JSONObject {
        var request: JSONObject = ["method": .string(exchange.request.method), "url": .string(exchange.request.url)]
        if tellsCurl { request["curl"] = .string(exchange.request.curl(whole: showsTokens)) }
        return request
    }

    private static func columns(_ facts: JSONObject) -> [String] {
        let width = facts.names.map(\.count).max() ?? 0
        return facts.map {
            $0.name.replacing("_", with: " ").padding(toLength: width, withPad: " ", startingAt: 0) + "  "
                + words($0.value)
        }
    }

    private static func words(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .array(let items): items.map(words).joined(separator: ", ")
        case .object(let object): object.map { "\($0.name) \(words($0.value))" }.joined(separator: ", ")
        default: value.text
        }
    }

    private func say(_ first: String, _ rest: [String]) {
        if form == .text { StepPrinter.write(([first] + rest).joined(separator: "\n") + "\n") }
    }
    private func say(_ lines: String...) { say(lines[0], Array(lines.dropFirst())) }

    /// Straight to the descriptor: nothing waits in a buffer, and a reader who has gone is no reason to fail.
    static func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}
