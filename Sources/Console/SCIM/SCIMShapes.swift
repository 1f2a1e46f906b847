import Base
import HTTP

/// What `/openapi.yaml` tells of SCIM; all else is told by `/scim/v2/Schemas`.
extension EndpointShape {
    private static let type = SCIMAnswer.mediaType
    /// JSON is taken, too. It is not told: programs that are made of two types that are one schema do not run.
    private static let bodyTypes = [type]
    private static let error = OtherAnswer("default", "An error", "SCIMError", type: type)
    private static let projection = ["attributes", "excludedAttributes"]
    private static let meanings = [
        "filter": "RFC 7644, 3.4.2.2.", "attributes": "What is told, with commas between.",
        "excludedAttributes": "What is not told, with commas between.", "startIndex": "From 1.",
        "count": "At most \(SCIMDiscovery.mostResults), \(SCIMDiscovery.usualResults) where it is left out.",
        "If-Match": "`meta.version` of what is to be changed: 412 where it is another one by now.",
    ]
    private static let about = "With a token of scope `scim` that a client got for itself."

    private static func scim(
        query: [String] = projection, headers: [String] = [], body: String? = nil, answer: String?, status: Int? = 200,
        answerHeaders: [String: String] = [:], others: [OtherAnswer] = [], errors: [Int] = []
    ) -> EndpointShape {
        EndpointShape(
            query: query, headers: headers, body: body, answer: answer, status: status, about: about,
            meanings: meanings, bodyTypes: body == nil ? nil : bodyTypes, isBodyNeeded: body != nil, answerType: type,
            answerHeaders: answerHeaders, others: others + [error], errors: errors + [429])
    }

    private static let tag = ["ETag": "As `meta.version`."]

    static let scimList = scim(
        query: ["filter", "sortBy", "sortOrder:=ascending|descending", "startIndex:integer", "count:integer"]
            + projection, answer: "SCIMList")
    static let scimSearch = scim(query: [], body: "SCIMSearch", answer: "SCIMList")
    static let scimBulk = scim(query: [], body: "SCIMBulk", answer: "SCIMBulkResponse")
    static let scimDeletion = scim(query: [], headers: ["If-Match"], answer: nil, status: 204, errors: [409, 412])
    static let scimMissing = scim(query: [], answer: nil, status: nil, errors: [501])
    static let scimNothing = scim(query: [], answer: nil, status: nil)
    static let scimDiscovery = EndpointShape(
        answer: "SCIMDocument", answerType: type, security: [], others: [error], errors: [403])

    static func scimOne(_ name: String) -> EndpointShape {
        scim(headers: ["If-None-Match"], answer: "SCIM\(name)", answerHeaders: tag, others: [.unchanged])
    }

    static func scimCreation(_ name: String) -> EndpointShape {
        scim(
            body: "SCIM\(name)", answer: "SCIM\(name)", status: 201,
            answerHeaders: tag.merging(["Location": "Where it is."]) { one, _ in one }, errors: [409])
    }

    static func scimReplacement(_ name: String) -> EndpointShape {
        scim(
            headers: ["If-Match"], body: "SCIM\(name)", answer: "SCIM\(name)", answerHeaders: tag, errors: [409, 412])
    }

    static func scimPatch(_ name: String) -> EndpointShape {
        scim(headers: ["If-Match"], body: "SCIMPatch", answer: "SCIM\(name)", answerHeaders: tag, errors: [409, 412])
    }
}

extension OpenAPISchema {
    static let scim: [OpenAPISchema] = [
        OpenAPISchema(
            "SCIMUser", "RFC 7643, 4.1: a person. An extension stands under its URN.",
            [
                "schemas!:[string]": "", "id": "", "externalId": "What the directory calls the person.",
                "userName": "Needed in a body.", "name:object": "`givenName` and `familyName`.", "displayName": "",
                "emails:[object]": "One is kept.", "active:boolean": "false ends all that acts for the person.",
                "password": "In bodies alone.", "groups:[object]": "The institution.", "meta:object": "",
            ], example: SCIMExamples.user),
        OpenAPISchema(
            "SCIMGroup", "RFC 7643, 4.2: an institution.",
            [
                "schemas!:[string]": "", "id": "", "externalId": "", "displayName": "Needed in a body.",
                "members:[object]": "Its people.", "meta:object": "",
            ], example: SCIMExamples.group),
        OpenAPISchema(
            "SCIMList", "RFC 7644, 3.4.2.",
            [
                "schemas!:[string]": "", "totalResults!:integer": "", "startIndex:integer": "",
                "itemsPerPage:integer": "", "Resources:[object]": "",
            ], example: SCIMExamples.list),
        OpenAPISchema(
            "SCIMSearch", "RFC 7644, 3.4.3.",
            [
                "schemas!:[string]": "", "filter": "", "sortBy": "", "sortOrder": "", "startIndex:integer": "",
                "count:integer": "", "attributes:[string]": "", "excludedAttributes:[string]": "",
            ], example: SCIMExamples.search),
        OpenAPISchema(
            "SCIMPatch", "RFC 7644, 3.5.2.",
            ["schemas!:[string]": "", "Operations!:[object]": "Each an `op`, and a `path`, a `value` or both."],
            example: SCIMExamples.patch),
        OpenAPISchema(
            "SCIMBulk", "RFC 7644, 3.7.",
            [
                "schemas!:[string]": "", "failOnErrors:integer": "After so many errors the rest is left.",
                "Operations!:[object]": "Each a `method`, a `path`, and `bulkId`, `version` and `data`.",
            ], example: SCIMExamples.bulk),
        OpenAPISchema(
            "SCIMBulkResponse", "RFC 7644, 3.7.", ["schemas!:[string]": "", "Operations!:[object]": ""],
            example: SCIMExamples.bulkResponse),
        OpenAPISchema("SCIMDocument", "RFC 7643, 5 to 7.", ["schemas!:[string]": ""], example: SCIMExamples.document),
        OpenAPISchema(
            "SCIMError", "RFC 7644, 3.12.",
            ["schemas!:[string]": "", "status!": "", "scimType": "A word for programs.", "detail": "For people."],
            example: SCIMExamples.error),
    ]
}
