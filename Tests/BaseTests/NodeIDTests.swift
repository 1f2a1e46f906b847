import Base
import Foundation
import Testing

@Suite("RFC 9562, 5.8: identifiers of nodes")
struct NodeIDTests {
    private static let day: TimeInterval = 86_400
    private let now = Date(numericDate: 1_800_000_000)

    private func id(_ life: TimeInterval, from start: Date? = nil) -> NodeID {
        let start = start ?? now
        return NodeID(issuedAt: start, keptUntil: start + life, randomness: .system)
    }

    @Test("it is a version 8 UUID of the IETF variant, and survives its text")
    func text() throws {
        for _ in 0..<100 {
            for node in [
                id(60), id(300 * NodeIDTests.day), NodeID(endless: .system), NodeID(digestOf: "x"),
                NodeID(oneTime: "a", namespace: "b", expires: now),
            ] {
                let text = node.description

                #expect(text.count == 36 && text[text.index(text.startIndex, offsetBy: 14)] == "8")
                #expect("89ab".contains(text[text.index(text.startIndex, offsetBy: 19)]))
                #expect(NodeID(text) == node)
            }
        }
    }

    @Test("what a digest names, and where its lock lies, is the same in every version: databases hold both")
    func isKept() {
        let pseudonym = NodeID(digestOf: "x"), once = NodeID(oneTime: "a", namespace: "b", expires: now)

        #expect(pseudonym.description == "cb5c4590-adc9-8cf5-8401-627ca9fbac32")
        #expect(pseudonym.lockNumber == 8_198_911_409_195_297_842)
        #expect(once.description == "1ad27480-1cac-8fb8-add7-4676fb082a08")
        #expect(once.lockNumber == 1_547_908_373_763_598_856)
    }

    @Test(
        "what is not the one spelling of an identifier is none",
        arguments: [
            "", "cb5c4590", "CB5C4590-adc9-8cf5-8401-627ca9fbac32", "cb5c4590-adc9-8cf5-8401-627ca9fbac3",
            "cb5c4590-adc9-8cf5-8401-627ca9fbac320", "cb5c4590adc9-8cf5-8401-627ca9fbac32-",
            "cb5c4590-adc9-8cf5-8401-627ca9fbac3g",
            "cb5c4590 adc9 8cf5 8401 627ca9fbac32", "cb5c4590-adc9-8cf5-8401-627ca9fbac3\u{e9}",
            "------------------------------------",
            "cb5c4590-adc98-cf5-8401-627ca9fbac32", "{b5c4590-adc9-8cf5-8401-627ca9fbac3}",
        ])
    func misspelt(_ text: String) { #expect(NodeID(text) == nil) }

    @Test(
        "it tells how long its row is kept, to the second, rounded up",
        arguments: [0.2, 60, 86_400, 172_800, 172_801, 5_184_000, 5_184_001, 31_536_000])
    func keptUntil(_ life: TimeInterval) {
        #expect(id(life).keptUntil == Date(timeIntervalSince1970: (now.timeIntervalSince1970 + life).rounded(.up)))
    }

    @Test(
        "spans by life",
        arguments: [
            (172_800, .days), (172_801, .weeks), (5_184_000, .weeks), (5_184_001, .months), (345_600_000, .months),
        ] as [(Int, NodeID.Span)])
    func spans(_ life: Int, _ span: NodeID.Span) {
        #expect(id(TimeInterval(life)).span == span)
    }

    @Test("they sort by span, then by end: as PostgreSQL sorts UUIDs")
    func order() {
        let ids = [
            id(1), id(60), id(NodeIDTests.day), id(3 * NodeIDTests.day), id(59 * NodeIDTests.day),
            id(61 * NodeIDTests.day), id(400 * NodeIDTests.day), NodeID(endless: .system),
        ]

        #expect(ids.map(\.description) == ids.map(\.description).sorted())
    }

    @Test("ends before 1970 and after 2106 do not break it", arguments: [-100.0, 0, 4_294_967_295, 9_999_999_999])
    func bounds(_ second: TimeInterval) {
        let node = NodeID(
            issuedAt: Date(timeIntervalSince1970: second - 10), keptUntil: Date(timeIntervalSince1970: second),
            randomness: .system)

        #expect(node.keptUntil == Date(timeIntervalSince1970: min(max(second, 0), 4_294_967_295)))
    }

    @Test("endless nodes have no end")
    func endless() {
        #expect(NodeID(endless: .system).keptUntil == nil && NodeID(digestOf: "a").keptUntil == nil)
    }

    @Test("random ones differ, digests of one text are one, one-time identifiers keep their parts apart")
    func distinct() {
        #expect(Set((0..<10_000).map { _ in id(60) }).count == 10_000)
        #expect(Set((0..<10_000).map { _ in NodeID(endless: .system) }).count == 10_000)
        #expect(NodeID(digestOf: "a") == NodeID(digestOf: "a") && NodeID(digestOf: "a") != NodeID(digestOf: "b"))
        let claims = [("a", "b"), ("b", "a"), ("", "ab"), ("ab", ""), ("1:a", "b"), ("a", "1:b")].map {
            NodeID(oneTime: $0.0, namespace: $0.1, expires: now)
        }
        #expect(Set(claims).count == 6)
        #expect(NodeID(oneTime: "a", namespace: "b", expires: now) == claims[0])
        #expect(NodeID(oneTime: "a", namespace: "b", expires: now + 1) != claims[0])
    }

    @Test("lock numbers of nodes that die together are spread")
    func locks() {
        #expect(Set((0..<10_000).map { _ in id(60).lockNumber }).count == 10_000)
    }

    @Test(
        "only the canonical text is one",
        arguments: [
            "", "0000000000008000800000000000000", "00000000-0000-8000-8000-00000000000",
            "{00000000-0000-8000-8000-000000000000}", "ABCDEF00-0000-8000-8000-000000000000",
            "00000000-0000-8000-8000-00000000000g", " 0000000-0000-8000-8000-000000000000",
            "00000000-0000-8000-8000-000000000000\n", "00000000_0000_8000_8000_000000000000",
        ])
    func canonical(_ text: String) {
        #expect(NodeID(text) == nil)
    }
}
