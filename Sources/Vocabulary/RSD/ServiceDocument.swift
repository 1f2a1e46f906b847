import Base

/// What a service says of itself: an RSD2 document with every link absolute.
public struct ServiceDocument: Sendable, Equatable {
    public let engineName: String
    public let engineLink: String
    public let homePageLink: String
    public let engineID: String?
    /// In document order; names are unique in their compare form.
    public let apis: [ServiceAPI]

    public init(
        engineName: String, engineLink: String, homePageLink: String, engineID: String? = nil, apis: [ServiceAPI]
    ) {
        self.engineName = engineName
        self.engineLink = engineLink
        self.homePageLink = homePageLink
        self.engineID = engineID
        self.apis = apis
    }

    /// The apis, then those with a well-known name a second time under the mapped one, unless the document uses that
    /// itself.
    public var offeredAPIs: [ServiceAPI] {
        var used = Set(apis.map { ProtocolName.folded($0.name) })
        let mapped = apis.compactMap { api in
            ProtocolName.mapped(api.name).flatMap { used.insert($0).inserted ? api.named($0) : nil }
        }
        return apis + mapped
    }

    public func api(named name: String) -> ServiceAPI? {
        let wanted = ProtocolName.folded(name)
        return offeredAPIs.first { ProtocolName.folded($0.name) == wanted }
    }

    /// Where `endpoint` of a protocol is: the api named `protocol.endpoint`, else below the link of the protocol's api.
    /// `nil` without either.
    public func endpoint(protocol name: String, _ endpoint: String) -> String? {
        if let own = api(named: name + "." + endpoint) { return own.link }
        return api(named: name).map { RSDLink.joined($0.link, String(endpoint.drop { $0 == "/" })) }
    }

    /// RSD2 in JSON, as discovery gives it.
    public var json: JSONValue {
        var document: JSONObject = [
            "engineName": .string(engineName), "engineLink": .string(engineLink), "homePageLink": .string(homePageLink),
        ]
        document["engineId"] = engineID.map(JSONValue.string)
        document["apis"] = .object(JSONObject(offeredAPIs.map { ($0.name, $0.json) }))
        return .object(document)
    }

    /// Reads what ``json`` wrote; not for documents from outside. `nil` when a member is missing.
    public init?(json: JSONValue) {
        guard let engineName = json["engineName"]?.string, let engineLink = json["engineLink"]?.string,
            let homePageLink = json["homePageLink"]?.string, let apis = json["apis"]?.object
        else { return nil }
        self.init(
            engineName: engineName, engineLink: engineLink, homePageLink: homePageLink,
            engineID: json["engineId"]?.string,
            apis: apis.compactMap { ServiceAPI(name: $0.name, json: $0.value) })
    }
}
