import Base
import Harness
import Vocabulary

@testable import Crawler

/// What holds of every document that was read, whatever its dialect (design/crawler.md, "Reading it").
enum ReadOracle {
    typealias Outcome = Result<ReadDocument, CrawlFailure>

    static let url = certain("the address of the document") { try WebURL("https://site.example/docs/rsd") }
    private static let reader = DocumentReader(base: "https://site.example/base/", indexName: "Index name")

    static func once(_ body: [UInt8]) -> Outcome {
        do {
            return .success(try reader.read(body, charset: nil, url: url))
        } catch {
            return .failure(error)
        }
    }

    /// Reads twice, and holds the result against all that is true of either outcome.
    static func read(_ body: [UInt8]) -> ReadDocument? {
        let outcome = once(body)
        require(outcome == once(body), "the same bytes read twice are the same")
        switch outcome {
        case .success(let read):
            sound(read.document)
            require(read.protocols.count == read.document.apis.count, "an api, a name")
            writtenAsJSON(read.document)
            writtenAsXML(read.document)
            return read
        case .failure(let failure):
            require(
                [.notRSD, .malformed, .encoding, .doctype, .limits].contains(failure.reason),
                "a reason of reading, not \(failure.reason)")
            require(
                failure.detail.count <= 400
                    && !failure.detail.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F },
                "a reason is one line")
            return nil
        }
    }

    private static func sound(_ document: ServiceDocument) {
        require(document.apis.count <= ReadingLimits.apis, "no more apis than the limit")
        require(!document.engineName.isEmpty, "an engine has a name")
        LinkOracle.shown(document.homePageLink)
        LinkOracle.shown(document.engineLink)
        for api in document.apis {
            require(
                (1...200).contains(api.name.unicodeScalars.count)
                    && !api.name.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) },
                "a name has 1 to 200 characters and no control: \(api.name.debugDescription)")
            require(
                ProtocolName.tidied(api.name).map { isSpelledAlike($0, api.name) } == true,
                "a name is tidy: \(api.name.debugDescription)")
            LinkOracle.shown(api.link)
            require(!hasAuthorization(.object(api.settings)), "authorization is never stored")
        }
        require(
            Set(document.apis.map { ProtocolName.folded($0.name) }).count == document.apis.count, "a name stands once")
        require(document.apis.count(where: \.preferred) <= 1, "one api is preferred at most")
    }

    private static func hasAuthorization(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let members):
            members.members.contains { $0.name.lowercased() == "authorization" || hasAuthorization($0.value) }
        case .array(let items): items.contains(where: hasAuthorization)
        default: false
        }
    }

    /// Discovery's form is a document itself, without fault, and the same one.
    private static func writtenAsJSON(_ document: ServiceDocument) {
        let offered = document.offeredAPIs
        guard offered.count <= ReadingLimits.apis else { return }
        let text = document.json.text
        guard case .success(let again) = once(Array(text.utf8)) else { violated("what was written as JSON is read") }
        require(isSpelledAlike(again.document.json.text, text), "what was written as JSON is the same document")
        require(
            again.warnings == (offered.isEmpty ? [.noAPIs] : []),
            "what was written as JSON has no faults: \(again.warnings)")
    }

    /// XML has no room for U+FFFE and U+FFFF, and its values are trimmed; names and links come back the same.
    private static func writtenAsXML(_ document: ServiceDocument) {
        let offered = document.offeredAPIs
        let isCarried = offered.allSatisfy {
            !($0.name + $0.link).unicodeScalars.contains { $0.value == 0xFFFE || $0.value == 0xFFFF }
        }
        guard offered.count <= ReadingLimits.apis, isCarried else { return }
        guard case .success(let again) = once(Array(document.xml.utf8)) else {
            violated("what was written as XML is read")
        }
        require(!again.isDegraded, "what was written as XML needs no repair: \(again.warnings)")
        require(again.document.apis.count == offered.count, "what was written as XML has as many apis")
        for (left, right) in zip(again.document.apis, offered) {
            require(
                isSpelledAlike(left.name, right.name) && isSpelledAlike(left.link, right.link),
                "what was written as XML has the same names and links")
        }
    }
}
