import Foundation
import Testing

/// A place where a rule of the server is broken, and what to do there.
struct Finding: CustomStringConvertible, Equatable {
    let path: String
    let line: Int
    let advice: String

    init(_ file: TextFile, line: Int = 1, _ advice: String) {
        self.init(path: file.path, line: line, advice)
    }

    init(path: String, line: Int = 1, _ advice: String) {
        self.path = path
        self.line = line
        self.advice = advice
    }

    var description: String { "\(path):\(line): \(advice)" }
    var place: String { "\(path):\(line)" }
}

/// One issue for each place, so that one run shows all of them.
func expectNone(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
    for finding in findings {
        Issue.record("\(finding)", sourceLocation: sourceLocation)
    }
}

/// A regular expression whose `^` and `$` are ends of lines. (Foundation's, as Swift's is slow in debug builds.)
struct Pattern {
    struct Hit {
        /// The first group, or all of it.
        let captured: String
        let line: Int
    }

    private let expression: NSRegularExpression?

    /// One that does not compile finds nothing, which the tests of the rules see.
    init(_ pattern: String) {
        expression = try? NSRegularExpression(pattern: pattern, options: [.anchorsMatchLines])
    }

    func hits(in text: String) -> [Hit] {
        let all = text as NSString
        return (expression?.matches(in: text, range: NSRange(location: 0, length: all.length)) ?? []).map { match in
            let group =
                match.numberOfRanges > 1 && match.range(at: 1).location != NSNotFound ? match.range(at: 1) : match.range
            let captured = all.substring(with: group)
            let line = all.substring(to: group.location).utf8.count { $0 == UInt8(ascii: "\n") } + 1
            return Hit(captured: captured.trimmingCharacters(in: .whitespacesAndNewlines), line: line)
        }
    }
}
