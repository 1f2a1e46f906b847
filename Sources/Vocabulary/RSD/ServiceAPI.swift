import Base

/// One api of an RSD document: a protocol that the service speaks, and where (rsd2-specification, "api").
public struct ServiceAPI: Sendable, Equatable {
    public let name: String
    /// Absolute, http or https.
    public let link: String
    /// A text or a list of texts, as the document has it.
    public let version: JSONValue?
    public let engineID: String?
    public let preferred: Bool
    /// `SOAP`, `REST`, `XML-RPC`, `JSON-RPC`, `Web-Form`, or a word of the document's own.
    public let transport: [String]
    public let docs: String?
    public let description: String?
    public let notes: String?
    public let settings: JSONObject

    public init(
        name: String, link: String, version: JSONValue? = nil, engineID: String? = nil, preferred: Bool = false,
        transport: [String] = [],
        docs: String? = nil, description: String? = nil, notes: String? = nil, settings: JSONObject = [:]
    ) {
        self.name = name
        self.link = link
        self.version = version
        self.engineID = engineID
        self.preferred = preferred
        self.transport = transport
        self.docs = docs
        self.description = description
        self.notes = notes
        self.settings = settings
    }

    /// The spelling of the specification for a transport in any case; other words as they are.
    public static func transport(_ word: String) -> String {
        ["SOAP", "REST", "XML-RPC", "JSON-RPC", "Web-Form"].first { $0.lowercased() == word.lowercased() } ?? word
    }

    /// The same api under another name.
    func named(_ other: String) -> ServiceAPI {
        ServiceAPI(
            name: other, link: link, version: version, engineID: engineID, preferred: false, transport: transport,
            docs: docs, description: description, notes: notes, settings: settings)
    }

    /// The members of the api's object; the name is the member under which it stands.
    var json: JSONValue {
        var api: JSONObject = ["apiLink": .string(link)]
        api["apiVersion"] = version
        api["engineId"] = engineID.map(JSONValue.string)
        if preferred { api["preferred"] = true }
        if !transport.isEmpty { api["transport"] = JSONValue(strings: transport) }
        api["docs"] = docs.map(JSONValue.string)
        api["description"] = description.map(JSONValue.string)
        api["notes"] = notes.map(JSONValue.string)
        if !settings.isEmpty { api["settings"] = .object(settings) }
        return .object(api)
    }

    init?(name: String, json: JSONValue) {
        guard let link = json["apiLink"]?.string else { return nil }
        self.init(
            name: name, link: link, version: json["apiVersion"], engineID: json["engineId"]?.string,
            preferred: json["preferred"]?.bool ?? false,
            transport: json["transport"]?.strings ?? [], docs: json["docs"]?.string,
            description: json["description"]?.string,
            notes: json["notes"]?.string, settings: json["settings"]?.object ?? [:])
    }
}
