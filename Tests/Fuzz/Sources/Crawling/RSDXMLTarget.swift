import Harness

@testable import Crawler

/// RSD in XML: libxml2 behind `XMLParser`, the repair pass, the dialects. Beside it: what must follow from adding bytes
/// to a document that was read.
enum RSDXMLTarget {
    static let target = Target("rsdxml", run: run)

    private static func run(_ input: [UInt8]) {
        guard let read = ReadOracle.read(input), isPlain(input) else { return }
        refusesDoctype(input, isClean: !read.isDegraded)
        if !contains(input, "<?xml") {
            let isStrict = (try? XMLParser.parse(input)) != nil
            require(
                read.isDegraded == !isStrict, "repaired is what is not well-formed, and nothing else: \(read.warnings)")
        }
        if !read.isDegraded { survives(input, read) }
    }

    /// UTF-8 without mark, not JSON: bytes may be put before and behind it.
    private static func isPlain(_ input: [UInt8]) -> Bool {
        let first = input.first { !Markup.isBlank($0) }
        return input.count < 4_000 && !input.starts(with: [0xEF, 0xBB, 0xBF])
            && String(validating: input, as: UTF8.self) != nil
            && first != UInt8(ascii: "{") && first != UInt8(ascii: "[")
    }

    /// A document type declaration before or behind a document that was taken makes it one that is not.
    private static func refusesDoctype(_ input: [UInt8], isClean: Bool) {
        var spoilt = [Array("<!DOCTYPE rsd>".utf8) + input, Array("<!doctype\nrsd [<!ENTITY a 'b'>]>".utf8) + input]
        if isClean { spoilt.append(input + Array("<!DOCTYPE rsd SYSTEM \"file:///etc/passwd\">".utf8)) }
        for body in spoilt {
            guard case .failure(let failure) = ReadOracle.once(body) else {
                violated("a document type declaration is refused")
            }
            require(
                failure.reason == .doctype,
                "a document type declaration is the reason, not \(failure.reason): \(failure.detail)")
        }
    }

    /// The repair pass finds in a clean document what the strict pass found. Not for a root inside a root, nor for
    /// numeric references that are longer than any need be: there the repair is coarse.
    private static func survives(_ input: [UInt8], _ read: ReadDocument) {
        guard contains(input.prefix(6), "<?xml ") || Markup.isRoot(input, at: 0), !contains(input, "&#"),
            ends(input) == 1
        else { return }
        for (body, warning) in [
            (Array("x\n".utf8) + input, CrawlWarning.leadingBytes),
            (input + [UInt8(ascii: "x")], CrawlWarning.trailingBytes),
        ] {
            guard case .success(let again) = ReadOracle.once(body) else { violated("\(warning) is repaired") }
            require(again.document == read.document, "\(warning): the repaired document is the same")
            require(again.warnings.contains(warning), "\(warning) is said")
            // An instruction behind the root is cut off with what follows it.
            require(
                Set(again.warnings).subtracting([warning, .trailingBytes]) == Set(read.warnings),
                "\(warning): nothing else is said: \(again.warnings)")
        }
    }

    private static func ends(_ input: [UInt8]) -> Int {
        Markup(input).reduce(0) { count, piece in
            guard case .end(let name) = piece.kind, Markup.local(name) == "rsd" else { return count }
            return count + 1
        }
    }

    private static func contains(_ bytes: some Collection<UInt8>, _ word: String) -> Bool {
        let text = Array(bytes)
        return text.indices.contains { text[$0...].starts(with: word.utf8) }
    }
}
