import Testing
import Tracing

@testable import Traces

@Suite("phases")
struct PhaseTests {
    private struct Coded: TypedError { var errorType: String { "42P01" } }
    private struct Told: Error, CustomStringConvertible { let description = "s3cret-of-somebody" }

    @Test("where nobody records nothing begins, and no name is made")
    func off() async {
        var isMade = false
        func name() -> String {
            isMade = true
            return "phase"
        }

        let span = Phase.begin(name())
        let value = await Phase.run(name()) { 7 }
        let root = await Phase.root(name()) { 8 }

        #expect(span == nil && value == 7 && root == 8 && !isMade)
        #expect(Phase.trace == nil && Phase.headers.isEmpty)
    }

    @Test("a phase hangs below the one in which it runs, and ends with it")
    func nested() async throws {
        let kept = KeptSpans()
        await Phase.recording(by: kept.recorder()) {
            #expect(Phase.begin("no trace has begun") == nil)
            await Phase.root("root", .consumer) {
                await Phase.run("outer") {
                    Phase.begin("leaf", .client)?.end()
                    Phase.begin("another leaf")?.end()
                }
            }
        }

        let names = kept.all.map(\.name), spans = Dictionary(uniqueKeysWithValues: zip(names, kept.all))
        let root = try #require(spans["root"]), outer = try #require(spans["outer"]), leaf = try #require(spans["leaf"])
        #expect(names == ["leaf", "another leaf", "outer", "root"])
        #expect(root.parent == nil && outer.parent == root.context.spanID && leaf.parent == outer.context.spanID)
        #expect(spans["another leaf"]?.parent == outer.context.spanID)
        #expect(Set(kept.all.map(\.context.traceID)).count == 1 && Set(kept.all.map(\.context.spanID)).count == 4)
        #expect(root.kind == .consumer && leaf.kind == .client && outer.kind == .internal)
        #expect(kept.all.allSatisfy { $0.end >= $0.start && !$0.isError })
    }

    @Test("of an error its code or its type is told, and never what it says")
    func errors() async throws {
        let kept = KeptSpans()
        await Phase.recording(by: kept.recorder()) {
            await Phase.root("root") {
                try? await Phase.run("coded") { throw Coded() }
                try? await Phase.run("told") { throw Told() }
            }
        }

        #expect(kept.all.map(\.isError) == [true, true, false])
        #expect(kept.all[0]["error.type"] == "42P01" && kept.all[1]["error.type"] == "Told")
        let text = String(decoding: try OTLPSpans(resource: [], version: "").json(kept.all), as: UTF8.self)
        #expect(!text.contains("s3cret"))
    }

    @Test(
        "a request of a trusted proxy goes on with its trace, kept or not; a stranger's begins one and points at theirs"
    )
    func serving() throws {
        let kept = KeptSpans(), id = "4bf92f3577b34da6a3ce929d0e0e4736"
        func serve(_ flag: String, isTrusted: Bool, by recorder: TraceRecorder) -> RecordedSpan {
            Phase.serving(
                "GET", traceparent: ["00-\(id)-00f067aa0ba902b7-\(flag)"], tracestate: ["rojo=1"], isTrusted: isTrusted,
                by: recorder)
        }

        for share in [0, 1.0] {
            let recorder = kept.recorder(share: share)
            serve("01", isTrusted: true, by: recorder).end()
            serve("00", isTrusted: true, by: recorder).end()
        }
        let trusted = kept.all
        serve("01", isTrusted: false, by: kept.recorder()).end()
        serve("01", isTrusted: false, by: kept.recorder(share: 0)).end()

        #expect(trusted.count == 2, "whoever sent it decides")
        #expect(
            trusted.allSatisfy { $0.context.traceID.description == id && $0.parent?.description == "00f067aa0ba902b7" })
        #expect(trusted.allSatisfy { $0.hasRemoteParent && $0.context.state.text == "rojo=1" && $0.links.isEmpty })
        let own = try #require(kept.all.last)
        #expect(kept.all.count == 3, "a stranger does not decide what is kept")
        #expect(own.context.traceID.description != id && own.parent == nil)
        #expect(own.links.map(\.context.traceID.description) == [id])
    }

    @Test("headers of requests that are made say where they are made")
    func outgoing() async {
        let kept = KeptSpans(), id = "4bf92f3577b34da6a3ce929d0e0e4736"
        let span = Phase.serving(
            "GET", traceparent: ["00-\(id)-00f067aa0ba902b7-00"], tracestate: ["rojo=1", "congo=2"], isTrusted: true,
            by: kept.recorder())
        let headers = await Phase.within(span) { Phase.headers }

        #expect(headers.map(\.name) == ["traceparent", "tracestate"])
        #expect(headers.first?.value == "00-\(id)-\(span.trace.spanID)-00" && headers.last?.value == "rojo=1,congo=2")
        #expect(kept.all.isEmpty, "told on, though not kept")
    }

    @Test("what works for several adopts one of theirs, and what outlives its beginner is in none")
    func adopting() async throws {
        let kept = KeptSpans(), recorder = kept.recorder()
        await Phase.recording(by: recorder) {
            await Phase.root("one") {
                await Phase.adopting(nil) { #expect(Phase.begin("of nobody") == nil) }
                await Phase.apart {
                    #expect(Phase.trace == nil)
                    await Phase.root("apart") {}
                }
            }
            let other = recorder.begin("other", .internal)
            await Phase.adopting(other) { Phase.begin("adopted")?.end() }
            other.end()
        }

        let spans = Dictionary(uniqueKeysWithValues: kept.all.map { ($0.name, $0) })
        #expect(Set(spans.keys) == ["one", "apart", "other", "adopted"])
        #expect(spans["apart"]?.parent == nil && spans["apart"]?.context.traceID != spans["one"]?.context.traceID)
        #expect(spans["adopted"]?.parent == spans["other"]?.context.spanID)
    }
}
