import Base
import HTTPTypes
import Harness
import Hummingbird
import NIOCore
import Synchronization
import Tiqr
import Vocabulary

/// What must hold of every answer, whoever asked for what.
enum AnswerOracle {
    /// In the dictionary: no page repeats it as markup.
    private static let markup = "<fuzz"
    private static let refusals: [TiqrRefusal] = [
        .invalidRequest(""), .notFound(""), .conflict(""), .invalidOTP(attemptsLeft: 1), .accountBlocked(minutes: 1),
        .invalidChallenge,
    ]
    private static let codes = Set(OAuthError.Code.allCases.map(\.rawValue) + refusals.map(\.code))

    static func check(_ head: HTTPRequest, status: Int, _ headers: HTTPFields, body: [UInt8]) {
        let asked = "\(head.method) \(head.path ?? "")"
        require((200..<600).contains(status) && status != 500, "no internal error: \(status) for \(asked)")
        require(headers.allSatisfy { HTTPField.isValidValue($0.value) }, "no header ends early: \(headers)")
        require(value("X-Content-Type-Options", headers) == "nosniff", "no answer is guessed at: \(asked)")
        require(
            ["no-referrer", "same-origin"].contains(value("Referrer-Policy", headers)),
            "no answer tells others where one came from: \(asked)")
        if let location = headers[.location] {
            require(location.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a place to go to is printable ASCII")
            require(
                location.hasPrefix("/") && !location.hasPrefix("//") || location.hasPrefix("http"),
                "a place to go to is of the web: \(location)")
        }
        let type = headers[.contentType]?.split(separator: ";").first.map(String.init)
        guard head.method != .head else { return }
        guard let text = String(validating: body, as: UTF8.self) else {
            return require(
                type?.hasPrefix("image/") == true || type?.hasPrefix("font/") == true, "an answer is UTF-8: \(asked)")
        }
        if type == "text/html" {
            require(!text.lowercased().contains(markup), "a page repeats nothing as markup: \(asked)")
            let policy = value("Content-Security-Policy", headers) ?? ""
            require(
                policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'")
                    && !policy.contains("unsafe"), "a page runs and is framed by nothing: \(asked)")
        }
        if type == "application/json", !body.isEmpty { json(body, status, asked) }
        PhoneOracle.check(head, status: status, type: type, headers, text: text)
        if status >= 500 {
            require(status == 503, "the database is away, and nothing else is wrong: \(status) for \(asked)")
        }
    }

    private static func value(_ name: String, _ headers: HTTPFields) -> String? {
        HTTPField.Name(name).flatMap { headers[$0] }
    }

    private static func json(_ body: [UInt8], _ status: Int, _ asked: String) {
        guard let value = try? JSONReader.read(body) else { violated("JSON is JSON: \(asked)") }
        guard status >= 400, let error = value["error"] ?? value["err"] else { return }
        require(
            error.string.map { codes.contains($0) || value["err"] != nil } == true,
            "an error has a name of ours: \(error.text)")
        let description = (value["error_description"] ?? value["description"])?.string ?? ""
        require(!description.isEmpty, "an error says what to do")
        require(body.count <= 16_384, "an error is short: \(body.count) bytes for \(asked.prefix(100))")
    }
}

/// The bytes of an answer.
final class Collected: Sendable {
    private let pieces = Mutex<[UInt8]>([])

    var bytes: [UInt8] { pieces.withLock { $0 } }
    func add(_ piece: some Sequence<UInt8>) { pieces.withLock { $0 += piece } }
}

struct CollectingWriter: ResponseBodyWriter {
    let collected: Collected

    mutating func write(_ buffer: ByteBuffer) async throws { collected.add(buffer.readableBytesView) }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
