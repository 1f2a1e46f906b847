import Base
import HTTP
import OAuth

/// What `/openapi.yaml` tells of OpenID Federation, of the health of services' documents and of the console's door
/// (`OpenIDFederationRoutes`, `CrawlHealthRoutes`, `HomeRoutes`).
extension EndpointShape {
    static func statement(_ type: String, query: [String] = [], errors: [Int] = [404]) -> EndpointShape {
        EndpointShape(
            query: query, answer: "SignedAnswer", answerType: "application/\(type)", security: [], errors: errors)
    }

    static let entityDescription = EndpointShape(
        answer: "RSDDocument", answerType: "application/x-rsd+json", security: [])

    static func entityList(_ answer: String, query: [String], isPublic: Bool) -> EndpointShape {
        EndpointShape(query: query, answer: answer, security: isPublic ? [] : [[.dpop], [.bearer]], errors: [404])
    }

    // MARK: Administration

    private static let service = ["service": "Its id."]

    static let crawlHealth = EndpointShape(
        query: ["limit:integer", "after", "state"], answer: "HealthPage", about: "With a token of scope `admin`.",
        meanings: ["limit": "1 to 1000, 100 where it is left out.", "after": "`next` of the page before."])

    static let crawlHealthOfOne = EndpointShape(
        answer: "DocumentHealth", about: "With a token of scope `admin`.", meanings: service)

    static let crawlRun = EndpointShape(
        query: ["dry_run:=true|false"], answer: "CrawlResult", about: "With a token of scope `admin`.",
        meanings: service)
}

extension OpenAPISchema {
    static let federation = [
        OpenAPISchema(
            "EntityIdentifiers", "OpenID Federation 1.0, 8.2.2.", type: "[string]",
            example: [IdentityProviderExamples.entity]),
        OpenAPISchema(
            "EntityPage", "Extended Subordinate Listing.",
            ["immediate_subordinate_entities:[object]!": "", "next_entity_id": "For `from`.", "next": "For `from`."],
            example: IdentityProviderExamples.entityPage),
        OpenAPISchema(
            "HealthPage", "", ["items:[object]!": "", "next:string?!": "For `after`; null on the last page."],
            example: ["items": [IdentityProviderExamples.health], "next": nil]),
        OpenAPISchema(
            "DocumentHealth", "As `pando admin crawl status --json` has it.", type: "object",
            example: IdentityProviderExamples.health),
        OpenAPISchema(
            "CrawlResult", "As `pando admin crawl run --json` has it.", type: "object",
            example: IdentityProviderExamples.crawl),
    ]
}
