import Base
import Database

/// One of the resources that a person granted together (RFC 8707, 2.2): what a token for it tells, and what it hangs
/// below besides that which all of them hang below.
public struct GrantedResource: Sendable, Equatable {
    /// As `TokenClaims.audience`: `nil` for who issues.
    public let audience: String?
    /// As `TokenClaims.lineage`.
    public let lineage: String?
    /// As `TokenClaims.lifetime`.
    public let lifetime: Int?
    /// Generations that were open when it was granted, root first. What is revoked of them is not opened anew, so there
    /// is no other token for this resource, while the others go on. Empty where all hang below what this one does.
    public let nodes: [NodeID]

    public init(audience: String?, lineage: String? = nil, lifetime: Int? = nil, nodes: [NodeID] = []) {
        (self.audience, self.lineage, self.lifetime, self.nodes) = (audience, lineage, lifetime, nodes)
    }

    init(_ stored: JSONValue) throws(DatabaseError) {
        guard let object = stored.object, let texts = object["nodes"]?.strings else { throw GrantedResource.malformed }
        let nodes = texts.compactMap { NodeID($0) }
        // What it hangs below must not be taken for less.
        guard nodes.count == texts.count else { throw GrantedResource.malformed }
        self.init(
            audience: try TokenClaims.text("aud", object), lineage: try TokenClaims.text("lineage", object),
            lifetime: object["life"]?.integer, nodes: nodes)
    }

    var json: JSONValue {
        var object: JSONObject = ["nodes": JSONValue(strings: nodes.map(\.description))]
        object["aud"] = audience.map(JSONValue.string)
        object["lineage"] = lineage.map(JSONValue.string)
        object["life"] = lifetime.map(JSONValue.integer)
        return .object(object)
    }

    static func list(_ detail: JSONObject) throws(DatabaseError) -> [GrantedResource] {
        switch detail["resources"] {
        case nil, .null: return []
        case .array(let items):
            var resources: [GrantedResource] = []
            for item in items { resources.append(try GrantedResource(item)) }
            return resources
        default: throw malformed
        }
    }

    private static let malformed = DatabaseError.decoding(
        column: "detail", expected: "an object whose resources are objects with nodes")

    /// `detail` of a family, in SQL, as it is of a token for this resource.
    func replacing(_ detail: SQL) -> SQL {
        var told: JSONObject = [:]
        told["aud"] = audience.map(JSONValue.string)
        told["lineage"] = lineage.map(JSONValue.string)
        told["life"] = lifetime.map(JSONValue.integer)
        return "(\(detail) - 'aud' - 'lineage' - 'life') || \(JSONValue.object(told))"
    }
}

extension TokenClaims {
    /// What a token tells that is for this resource.
    public func with(_ resource: GrantedResource) -> TokenClaims {
        var claims = self
        (claims.audience, claims.lineage, claims.lifetime) = (resource.audience, resource.lineage, resource.lifetime)
        return claims
    }
}

extension TokenRow {
    /// What its family hangs below, that last: without what it hangs below alone as a token for one of several
    /// resources. What comes of the login, and not of what is done at that resource, hangs below this.
    public var lineageOfFamily: [NodeID] {
        let own = body.claims.resources.first { $0.audience == body.claims.audience }?.nodes ?? []
        return own.isEmpty ? lineage : lineage.filter { !own.contains($0) }
    }
}
