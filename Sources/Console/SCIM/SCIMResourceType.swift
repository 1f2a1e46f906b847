import Accounts
import Base

/// What there is of: people and institutions (RFC 7643, 4 and 6).
struct SCIMResourceType: Sendable {
    let name: String
    /// Below the base.
    let endpoint: String
    let about: String
    let schema: SCIMSchema
    let extensions: [SCIMSchema]

    static let all = [user, group]
    static let schemas = all.flatMap { [$0.schema] + $0.extensions }

    /// All resources have it, and no schema names it (RFC 7643, 3.1).
    static let externalID = SCIMAttribute("externalId", .string, "") { $0.isCaseExact = true }

    func json(base: String) -> JSONObject {
        [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"], "id": .string(name),
            "name": .string(name), "endpoint": .string("/\(endpoint)"), "description": .string(about),
            "schema": .string(schema.id),
            "schemaExtensions": .array(extensions.map { ["schema": .string($0.id), "required": false] }),
            "meta": ["resourceType": "ResourceType", "location": .string("\(base)/ResourceTypes/\(name)")],
        ]
    }

    /// A body that makes or replaces one: by the attributes that may be written, each in its right case.
    func read(_ body: JSONValue) throws -> JSONObject {
        guard let members = body.object else { throw SCIMRefusal(.invalidSyntax, "the body is a JSON object") }
        let named = members.first { $0.name.lowercased() == "schemas" }?.value.strings ?? []
        guard named.contains(where: { $0.lowercased() == schema.id.lowercased() }) else {
            throw SCIMRefusal(.invalidSyntax, "schemas names \(schema.id)")
        }
        var read = try (schema.attributes + [SCIMResourceType.externalID]).read(members, ignoring: true)
        for (name, value) in members {
            guard let part = extensions.first(where: { $0.id.lowercased() == name.lowercased() }) else { continue }
            guard let inner = value.object else {
                if value == .null { continue }
                throw SCIMRefusal(.invalidValue, "\(part.id) is an object")
            }
            let attributes = try part.attributes.read(inner, ignoring: true)
            if !attributes.isEmpty { read[part.id] = .object(attributes) }
        }
        return read
    }

    // MARK: The two

    static let user = SCIMResourceType(
        name: "User", endpoint: "Users", about: "People",
        schema: SCIMSchema(
            id: "urn:ietf:params:scim:schemas:core:2.0:User", name: "User", about: "A person who has an account",
            attributes: [
                SCIMAttribute("userName", .string, "What they log in with: 1 to 64 characters, no blanks, no UUID") {
                    ($0.isRequired, $0.uniqueness) = (true, "server")
                },
                SCIMAttribute("name", .complex, "Their name, in parts") {
                    $0.parts = [
                        SCIMAttribute("familyName", .string, "Family name"),
                        SCIMAttribute("givenName", .string, "Given name"),
                    ]
                },
                SCIMAttribute("displayName", .string, "Their name as a whole"),
                SCIMAttribute("emails", .complex, "Their address: one is kept, the primary one or that of work") {
                    $0.isMultiValued = true
                    $0.parts = [
                        SCIMAttribute("value", .string, "The address"),
                        SCIMAttribute("type", .string, "What it is for") { $0.canonicalValues = ["work"] },
                        SCIMAttribute("primary", .boolean, "") { $0.isHidden = true },
                    ]
                },
                SCIMAttribute("active", .boolean, "Whether they may log in; false ends all that acts for them"),
                SCIMAttribute("password", .string, "A new password; told to nobody") {
                    ($0.mutability, $0.returned, $0.isCaseExact) = (.writeOnly, "never", true)
                },
                SCIMAttribute("groups", .complex, "The institution that they belong to") {
                    ($0.isMultiValued, $0.mutability) = (true, .readOnly)
                    $0.parts = [
                        SCIMAttribute("value", .string, "Its id") { $0.mutability = .readOnly },
                        SCIMAttribute("$ref", .reference, "Where it is") {
                            ($0.mutability, $0.referenceTypes, $0.isCaseExact) = (.readOnly, ["Group"], true)
                        },
                        SCIMAttribute("type", .string, "How they belong to it") {
                            ($0.mutability, $0.canonicalValues) = (.readOnly, ["direct"])
                        },
                    ]
                },
            ]),
        extensions: [federation])

    /// What institutions say of people, by the names of claims.
    static let federation = SCIMSchema(
        id: "urn:pando:scim:schemas:extension:federation:2.0:User", name: "FederationUser",
        about: "What an institution says of a person in the words of eduPerson and SCHAC",
        attributes: PersonAttribute.allCases.map { attribute in
            SCIMAttribute(attribute.rawValue, .string, "The claim of this name: \(attribute.shape)") {
                ($0.isMultiValued, $0.isCaseExact) = (!attribute.hasOneValue, true)
                $0.canonicalValues = attribute.words
            }
        })

    static let group = SCIMResourceType(
        name: "Group", endpoint: "Groups", about: "Institutions, with the people who belong to them",
        schema: SCIMSchema(
            id: "urn:ietf:params:scim:schemas:core:2.0:Group", name: "Group",
            about: "An institution. A person belongs to one at most",
            attributes: [
                SCIMAttribute("displayName", .string, "Its name") { $0.isRequired = true },
                SCIMAttribute(
                    "members", .complex, "The people who belong to it; left out where they are more than 5000"
                ) {
                    $0.isMultiValued = true
                    $0.parts = [
                        SCIMAttribute("value", .string, "The person's id") {
                            ($0.mutability, $0.isCaseExact) = (.immutable, true)
                        },
                        SCIMAttribute("$ref", .reference, "Where the person is") {
                            ($0.mutability, $0.referenceTypes, $0.isCaseExact) = (.immutable, ["User"], true)
                        },
                        SCIMAttribute("type", .string, "What it is") {
                            ($0.mutability, $0.canonicalValues) = (.immutable, ["User"])
                        },
                    ]
                },
            ]),
        extensions: [])
}
