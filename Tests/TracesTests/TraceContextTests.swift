import Testing

@testable import Traces

@Suite("W3C Trace Context, 3.2: traceparent")
struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736", span = "00f067aa0ba902b7"
    private static let good = "00-\(trace)-\(span)-01"

    private func read(_ values: String..., state: [String] = []) -> TraceContext? {
        TraceContext(traceparent: values, tracestate: state)
    }

    @Test("trace, span and flag are read, and written as they came")
    func reads() throws {
        let context = try #require(read(Self.good))

        #expect(context.traceID.description == Self.trace && context.spanID.description == Self.span)
        #expect(context.isSampled && context.traceparent == Self.good)
        #expect(read("00-\(Self.trace)-\(Self.span)-00")?.isSampled == false)
    }

    @Test("flags that are not known are dropped, not handed on", arguments: ["03", "ff", "81"])
    func flags(_ flags: String) {
        #expect(read("00-\(Self.trace)-\(Self.span)-\(flags)")?.traceparent == Self.good)
    }

    @Test(
        "what is no context begins a new trace",
        arguments: [
            "", " ", "00", "00-", String(repeating: "0", count: 55), String(repeating: "-", count: 55),
            // Identifiers of nothing but zeros (3.2.2.3, 3.2.2.4).
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            // Large digits, letters that are none, other scripts' digits.
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b٧-01",
            // Other lengths and separators.
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e47366-0f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
            " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n",
            // Version 00 has nothing behind the flags; ff is none (3.2.2.1).
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "0F-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ])
    func refuses(_ value: String) {
        #expect(read(value) == nil)
    }

    @Test("of a later version the known fields are read, and what is sent is of ours (3.2.4)")
    func later() {
        let known = "\(Self.trace)-\(Self.span)-01"

        #expect(read("01-\(known)")?.traceparent == Self.good)
        #expect(read("cc-\(known)-what-the-future-will-be-like")?.traceparent == Self.good)
        #expect(read("cc-\(known).what-the-future-will-be-like") == nil)
        #expect(read("cc-\(known)0") == nil)
    }

    @Test("two headers are of two senders: neither is taken")
    func twice() {
        #expect(read(Self.good, Self.good) == nil)
        #expect(TraceContext(traceparent: [], tracestate: ["a=1"]) == nil)
    }

    @Test("a list that is none does not end the trace")
    func stateApart() {
        let context = read(Self.good, state: ["a=1,a=2"])

        #expect(context?.traceparent == Self.good && context?.state == .empty)
        #expect(read(Self.good, state: ["a=1"])?.state.text == "a=1")
    }
}

@Suite("W3C Trace Context, 3.3: tracestate")
struct TraceStateTests {
    @Test("members stay in their order, also those of several headers; blanks around them and empty ones go")
    func order() {
        #expect(
            TraceState(["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"])?.text == "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")
        #expect(TraceState(["b=2 ,\t a=1", "", "c=3,"])?.text == "b=2,a=1,c=3")
        #expect(TraceState([]) == .empty && TraceState([" , ,"]) == .empty)
    }

    @Test(
        "keys of one vendor, and of one with tenants",
        arguments: ["a", "0a", "a_b-c*d/e", "tenant@vendor", String(repeating: "a", count: 256), "0@1"])
    func keys(_ key: String) {
        #expect(TraceState(["\(key)=1"])?.text == "\(key)=1")
    }

    @Test(
        "one member that is none makes all of it no list",
        arguments: [
            "a", "=1", "a=", "A=1", "ä=1", "_a=1", "a b=1", "a@=1", "@a=1", "a@b@c=1", "a@abcdefghijklmno=1", "a=b=c",
            "a=ä", "a=\u{1}", "a=1,b", "a=1,a=2", "tenant@tooLong=1",
        ])
    func refuses(_ text: String) {
        #expect(TraceState([text]) == nil)
    }

    @Test("keys and values have an end, and so have lists")
    func lengths() {
        #expect(TraceState([String(repeating: "a", count: 257) + "=1"]) == nil)
        #expect(TraceState(["a=" + String(repeating: "b", count: 256)]) != nil)
        #expect(TraceState(["a=" + String(repeating: "b", count: 257)]) == nil)
        #expect(TraceState([(0..<32).map { "k\($0)=1" }.joined(separator: ",")]) != nil)
        #expect(TraceState([(0..<33).map { "k\($0)=1" }.joined(separator: ",")]) == nil)
    }

    @Test("of more than 512 bytes long members go first, then the last ones; none is cut (3.3.1.5)")
    func shortened() throws {
        let long = "long=" + String(repeating: "x", count: 200), small = (0..<30).map { "k\($0)=123456789" }
        let mixed = try #require(TraceState([([small[0], long] + small.dropFirst()).joined(separator: ",")]))
        let many = try #require(
            TraceState([(0..<32).map { "key\($0)=" + String(repeating: "y", count: 30) }.joined(separator: ",")]))

        #expect(mixed.text == small.joined(separator: ","))
        #expect(many.text.utf8.count <= 512 && many.text.hasPrefix("key0=") && many.text.utf8.count > 450)
        #expect(many.text.split(separator: ",").allSatisfy { $0.hasSuffix(String(repeating: "y", count: 30)) })
    }
}
