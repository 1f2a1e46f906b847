import Base
import Vocabulary

/// RSD2 XML in both bindings, and RSD 1.0 and 0.6 (rsd2-specification "XML"; RSD 1.0).
enum XMLDialects {
    private static let firstNamespace = "http://archipelago.phrasewise.com/rsd"

    /// Throws `not_rsd` without an `rsd` root or without `apis`.
    static func read(_ root: XMLElement) throws(CrawlFailure) -> WrittenDocument {
        guard root.name == "rsd" else { throw CrawlFailure(.notRSD, "the root is \(root.name.prefix(40))") }
        let service = root.first("service") ?? root
        guard let list = service.first("apis") ?? root.descendant("apis") else {
            throw CrawlFailure(.notRSD, "no apis")
        }
        let generation = generation(root)
        let apis = list.children.filter { $0.name == "api" }
        guard apis.count <= ReadingLimits.apis else {
            throw ReadingLimits.exceeded("more than \(ReadingLimits.apis) apis")
        }
        guard apis.allSatisfy({ ($0.first("settings")?.children.count ?? 0) <= ReadingLimits.members }) else {
            throw ReadingLimits.exceeded("more than \(ReadingLimits.members) settings")
        }
        var document = WrittenDocument(
            generation: generation, engineName: service.first("enginename")?.text,
            engineLink: service.first("enginelink")?.text,
            homePageLink: service.first("homepagelink")?.text, engineID: service.first("engineid")?.text, apis: [])
        switch generation {
        case .one:
            document.apis = apis.map {
                api($0, link: $0.attributes["apilink"] ?? $0.attributes["rpclink"] ?? $0.first("apilink")?.text)
            }
        case .two:
            // The first api decides the binding.
            let hierarchical = apis.first.map { $0.attributes["apilink"] == nil } ?? true
            for element in apis {
                guard hierarchical == (element.attributes["apilink"] == nil) else {
                    document.warnings.append(.mixedBinding)
                    continue
                }
                document.apis.append(
                    api(element, link: hierarchical ? element.first("apilink")?.text : element.attributes["apilink"]))
            }
        }
        return document
    }

    private static func generation(_ root: XMLElement) -> WrittenDocument.Generation {
        switch root.attributes["version"] ?? "" {
        case "1.0", "1", "0.6": .one
        case "": root.namespace == firstNamespace ? .one : .two
        default: .two
        }
    }

    private static func api(_ element: XMLElement, link: String?) -> WrittenAPI {
        let settings = element.first("settings")
        func member(_ name: String) -> String? { element.attributes[name] ?? element.first(name)?.text }
        func note(_ name: String) -> String? {
            element.first(name)?.text ?? settings?.first(name)?.text ?? element.attributes[name]
        }
        let versions = element.children.filter { $0.name == "apiversion" }.map(\.text)
        var api = WrittenAPI(name: element.attributes["name"] ?? "", link: link)
        api.version =
            versions.count > 1
            ? JSONValue(strings: versions) : (element.attributes["apiversion"] ?? versions.first).map(JSONValue.string)
        // Both ids: blogID is ignored. Only as an attribute, as the hierarchical binding has no legacy names.
        api.engineID = element.attributes["engineid"] ?? element.attributes["blogid"] ?? element.first("engineid")?.text
        api.preferred = WrittenAPI.isPreferred(member("preferred"))
        api.transport = element.children.filter { $0.name == "transport" && !$0.text.isEmpty }.map(\.text)
        api.docs = note("docs")
        api.description = note("description")
        api.notes = note("notes")
        for setting in settings?.children ?? [] where setting.name == "setting" {
            // Never stored, as in JSON.
            if let name = setting.attributes["name"], name.lowercased() != "authorization", api.settings[name] == nil {
                api.settings[name] = .string(setting.text)
            }
        }
        return api
    }
}
