import Base

/// RSD2 JSON and YAML, and the lists of Moodle and PowerTLA that came before it.
enum JSONDialects {
    /// Strictly UTF-8 and strictly JSON, but for a BOM; never repaired.
    static func read(_ body: [UInt8]) throws(CrawlFailure) -> WrittenDocument {
        let value: JSONValue
        do {
            value = try JSONReader.read(
                body.starts(with: [0xEF, 0xBB, 0xBF]) ? body[3...] : body[...], depth: ReadingLimits.depth)
        } catch {
            throw failure(error)
        }
        return try document(checking: value)
    }

    /// RSD2 in YAML has the same members.
    static func read(yaml text: [UInt8]) throws(CrawlFailure) -> WrittenDocument {
        try document(checking: try YAMLTree.read(text))
    }

    private static func document(checking value: JSONValue) throws(CrawlFailure) -> WrittenDocument {
        if let count = value["apis"]?.object?.members.count ?? value["apis"]?.array?.count, count > ReadingLimits.apis {
            throw ReadingLimits.exceeded("more than \(ReadingLimits.apis) apis")
        }
        try ReadingLimits.check(value)
        return try document(value["apis"] == nil ? value["service"] ?? value : value)
    }

    private static func failure(_ error: JSONReader.Malformed) -> CrawlFailure {
        switch error {
        case .syntax(let offset): CrawlFailure(.malformed, "not JSON at byte \(offset)")
        case .duplicate(let name): CrawlFailure(.malformed, "the member \(name.prefix(40)) twice")
        case .nulByte: CrawlFailure(.encoding, "a NUL character")
        case .tooDeep: ReadingLimits.exceeded("nested deeper than \(ReadingLimits.depth)")
        case .badEncoding: CrawlFailure(.encoding, "JSON that is not UTF-8")
        }
    }

    private static func document(_ value: JSONValue) throws(CrawlFailure) -> WrittenDocument {
        let listed: [WrittenAPI?]
        switch value["apis"] {
        case .object(let members): listed = members.map { api(name: $0.name, $0.value) }
        case .array(let items): listed = items.map { api(name: $0["name"]?.string ?? "", $0) }
        case nil, .null, .bool, .integer, .number, .string: throw CrawlFailure(.notRSD, "JSON without apis")
        }
        guard listed.count <= ReadingLimits.apis else {
            throw ReadingLimits.exceeded("more than \(ReadingLimits.apis) apis")
        }
        let apis = listed.compactMap { $0 }
        return WrittenDocument(
            generation: .two, engineName: value["engineName"]?.string,
            engineLink: value["engineLink"]?.string ?? value["engine"]?["servicelink"]?.string,
            homePageLink: value["homePageLink"]?.string, engineID: scalar(value["engineId"]), apis: apis,
            warnings: apis.count < listed.count ? [.badLink] : [])
    }

    /// `nil` when the api is not an object, so that it has no link to speak of.
    private static func api(name: String, _ value: JSONValue) -> WrittenAPI? {
        guard value.object != nil else { return nil }
        var api = WrittenAPI(name: name, link: value["apiLink"]?.string ?? value["link"]?.string)
        switch value["apiVersion"] {
        case .string, .integer, .number: api.version = value["apiVersion"]
        case .array(let items): api.version = JSONValue(strings: items.compactMap(scalar))
        case nil, .null, .bool, .object: break
        }
        api.engineID = scalar(value["engineId"]) ?? scalar(value["blogID"])
        api.preferred = value["preferred"]?.bool ?? WrittenAPI.isPreferred(scalar(value["preferred"]))
        api.transport = value["transport"]?.array?.compactMap(\.string) ?? value["transport"]?.string.map { [$0] } ?? []
        api.docs = value["docs"]?.string
        api.description = value["description"]?.string
        api.notes = value["notes"]?.string
        api.settings = withoutAuthorization(.object(value["settings"]?.object ?? [:])).object ?? [:]
        return api
    }

    private static func scalar(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case nil, .null, .bool, .array, .object: nil
        }
    }

    /// `authorization` members are never stored, wherever they stand.
    private static func withoutAuthorization(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                JSONObject(
                    members.filter { $0.name.lowercased() != "authorization" }.map {
                        ($0.name, withoutAuthorization($0.value))
                    }))
        case .array(let items): .array(items.map(withoutAuthorization))
        case .null, .bool, .integer, .number, .string: value
        }
    }
}
