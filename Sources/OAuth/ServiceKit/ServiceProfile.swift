import Base
import Vocabulary

/// What a service is, as it tells the federation: the one description from which its RSD2 document, scopes and guards
/// are made.
public struct ServiceProfile: Sendable {
    public struct Offer: Sendable {
        /// Protocol name, and the scope that reaches it where it is handed on.
        public let name: String
        /// Below the service's base URL; empty for the base itself.
        public let path: String
        public let version: String?
        /// In place of base URL and path, where the protocol has its own place at this host.
        public let link: String?
        /// Instances may hand out tokens for it to other apps; where not, it is theirs alone.
        public let isHandedOn: Bool

        public init(
            _ name: String, path: String = "", version: String? = nil, link: String? = nil, isHandedOn: Bool = true
        ) {
            (self.name, self.path, self.version, self.link) = (name, path, version, link)
            self.isHandedOn = isHandedOn
        }
    }

    public let id: String
    public let name: String
    public let base: String
    public let offers: [Offer]
    /// Claims it asks the federation for.
    public let claims: [String]

    public init(id: String, name: String, base: String, offers: [Offer], claims: [String] = []) {
        (self.id, self.name, self.base, self.offers, self.claims) = (id, name, base, offers, claims)
    }

    /// RSD2 with absolute links: nothing to join, nothing to get wrong.
    public var document: ServiceDocument {
        let apis =
            [ServiceAPI(name: "org.ietf.oauth2", link: base, version: .string("2.0"), transport: ["REST"])]
            + offers.map {
                ServiceAPI(
                    name: $0.name, link: $0.link ?? base + $0.path, version: $0.version.map(JSONValue.string),
                    transport: ["REST"])
            }
        return ServiceDocument(engineName: name, engineLink: base, homePageLink: base, engineID: id, apis: apis)
    }

    public var protocols: [String] { offers.map(\.name) }
    /// What tokens of other apps may be for.
    public var scopes: [String] { offers.filter(\.isHandedOn).map(\.name) }
}
