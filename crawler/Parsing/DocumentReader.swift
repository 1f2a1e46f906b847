import Base
import Vocabulary

/// What reading a body gave.
struct ReadDocument: Sendable, Equatable {
    let document: ServiceDocument
    let warnings: [CrawlWarning]

    var isDegraded: Bool { warnings.contains(where: \.isRepair) }
    /// Names as written, sorted, without mapped ones.
    var protocols: [String] { document.apis.map(\.name).sorted() }
}

/// Reads a body as an RSD document of any dialect: what it is, its encoding, its links and names.
struct DocumentReader: Sendable {
    /// The service's base URL, which stands in for a homePageLink.
    let base: String
    /// The name in the index, which stands in for an engineName.
    let indexName: String

    /// - Parameters:
    ///   - url: the document's, after redirects.
    ///   - isYAML: whether its sender, or its name, says so: YAML has no sign of its own.
    func read(
        _ body: [UInt8], charset: String?, url: WebURL, isYAML: Bool = false
    ) throws(CrawlFailure) -> ReadDocument {
        var written = try written(body, charset: charset, isYAML: isYAML)
        let links = WrittenLinks(document: written, url: url, base: base)
        var apis: [ServiceAPI] = [], names: Set<String> = [], hasPreferred = false
        if written.apis.isEmpty, written.warnings.allSatisfy(\.isRepair) { written.warnings.append(.noAPIs) }
        for api in written.apis {
            guard let name = ProtocolName.tidied(api.name) else {
                written.warnings.append(.badName)
                continue
            }
            if api.link == nil, written.generation == .two { written.warnings.append(.noAPILink) }
            guard let link = links.link(of: api) else {
                written.warnings.append(.badLink)
                continue
            }
            guard names.insert(ProtocolName.folded(name)).inserted else {
                written.warnings.append(.duplicateAPI)
                continue
            }
            if api.preferred, hasPreferred { written.warnings.append(.severalPreferred) }
            apis.append(
                ServiceAPI(
                    name: name, link: link, version: api.version, engineID: api.engineID,
                    preferred: api.preferred && !hasPreferred,
                    transport: api.transport.map { ServiceAPI.transport(String($0.trimmingBlanks)) },
                    docs: usable(api.docs),
                    description: api.description, notes: api.notes, settings: api.settings))
            hasPreferred = hasPreferred || api.preferred
        }
        let stated = written.engineName.map { String($0.trimmingBlanks) } ?? ""
        let document = ServiceDocument(
            engineName: stated.isEmpty ? indexName : stated, engineLink: links.shownEngine,
            homePageLink: links.shownHome,
            engineID: written.engineID, apis: apis)
        return ReadDocument(document: document, warnings: Set(written.warnings).sorted { $0.rawValue < $1.rawValue })
    }

    /// Apps follow it, so it is one that they may be given, or left out.
    private func usable(_ docs: String?) -> String? {
        let tidy = docs.map { String($0.trimmingBlanks) } ?? ""
        return RSDLink.isUsable(tidy) ? tidy : nil
    }

    private func written(
        _ body: [UInt8], charset: String?, isYAML: Bool
    ) throws(CrawlFailure) -> WrittenDocument {
        // JSON is looked for before decoding: it has no charset but UTF-8.
        if BodyKind(body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body) == .json {
            return try JSONDialects.read(body)
        }
        let (text, guessed) = try BodyEncoding.decoded(body, charset: charset)
        if isYAML, text.first(where: { !Markup.isBlank($0) }).map({ $0 != UInt8(ascii: "<") }) == true {
            guard !guessed else { throw CrawlFailure(.encoding, "YAML that is not UTF-8") }
            return try JSONDialects.read(yaml: text)
        }
        switch BodyKind(text) {
        case .json: throw CrawlFailure(.encoding, "JSON that is not UTF-8")
        case .html: throw CrawlFailure(.notRSD, "an HTML page")
        case .other: throw CrawlFailure(.notRSD, body.isEmpty ? "an empty body" : "neither JSON, YAML nor XML")
        case .xml(let start):
            let (root, repairs) = try RepairPass.tree(text, start: start)
            var document = try XMLDialects.read(root)
            document.warnings += repairs + (guessed ? [.encoding] : [])
            return document
        }
    }
}
