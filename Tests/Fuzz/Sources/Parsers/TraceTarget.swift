import Harness
import Traces

/// `TraceContext`. The first line is `traceparent`, those behind it are headers `tracestate`. Beside it: the grammar of
/// W3C Trace Context as a regular expression.
enum TraceTarget {
    static let target = Target("trace", run: run)

    private static func run(_ input: [UInt8]) {
        let lines = String(decoding: input, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        let parent = lines.first ?? "", state = Array(lines.dropFirst())
        let context = TraceContext(traceparent: [parent], tracestate: state)
        require((context != nil) == isWellFormed(parent), "the grammar decides, whatever stands in tracestate")
        guard let context else { return }
        let written = context.traceparent
        require(isWellFormed(written) && written.hasPrefix("00-"), "what is sent is of version 00")
        require(
            written.utf8.dropFirst(2).prefix(50).elementsEqual(parent.utf8.dropFirst(2).prefix(50)),
            "of the same trace and span")
        let text = context.state.text, members = text.split(separator: ",")
        require(text.utf8.count <= 512 && members.count <= 32, "a list is bounded")
        require(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "nothing in it ends a header")
        require(members.allSatisfy { state.joined(separator: ",").contains($0) }, "each member is one that came")
        guard let again = TraceContext(traceparent: [written], tracestate: [text]) else {
            violated("what was written is read")
        }
        require(again == context && again.state.text == text, "and is the same")
        require(TraceContext(traceparent: [parent, parent], tracestate: state) == nil, "two are none")
    }

    private static func isWellFormed(_ text: String) -> Bool {
        // Scalars: a dash with an accent behind it is one character, and a dash.
        let grammar = #/([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-(?s:.*))?/#
        guard let match = text.wholeMatch(of: grammar.matchingSemantics(.unicodeScalar))
        else { return false }
        return match.1 != "ff" && match.2.contains { $0 != "0" } && match.3.contains { $0 != "0" }
            && (match.4 == nil || match.1 != "00")
    }
}
