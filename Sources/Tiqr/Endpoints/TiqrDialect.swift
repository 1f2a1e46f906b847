import Base
import HTTP
import HTTPTypes
import Hummingbird

/// In which of its two forms a phone reads answers (protocols/tiqr.md, 1.7; decisions.md, tiqr 2): JSON to whoever asks
/// for it or speaks protocol 2, words to the others. The status is 200 in either, for the apps look at the body; words
/// have no newline behind them, for iOS compares them whole.
struct TiqrDialect: Sendable {
    let isJSON: Bool

    init(_ request: Request) {
        let version = request.headers[.tiqrVersion].flatMap { Int($0) } ?? 1
        isJSON =
            version >= 2 || request.headers[values: .accept].contains { $0.lowercased().contains("application/json") }
    }

    func render(_ answer: RegisterAnswer) -> Response { render(answer.text, answer.json) }

    func render(_ answer: LoginAnswer) -> Response { render(answer.text, answer.json) }

    /// iOS knows JSON by the answer's own header, whatever it sent.
    private func render(_ word: String, _ json: JSONValue) -> Response {
        isJSON
            ? Answer.json(json, headers: [.tiqrVersion: "2"])
            : Answer.text(word, type: "text/plain; charset=utf-8", store: false)
    }
}

extension HTTPField.Name {
    static let tiqrVersion = named("X-TIQR-Protocol-Version")
}
