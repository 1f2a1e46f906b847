import Base
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth

/// Identifiers, which only relying services may touch, and enrollments.
enum TiqrEnrollmentRoutes {
    static func endpoints(_ tiqrContext: TiqrRequestContext, path: String) -> [Endpoint] {
        let tiqr = tiqrContext.tiqr, scopes = [TiqrRoutes.enroll]
        return [
            Endpoint(.post, path + "/identifiers", "tiqr: a service identifier with its suite, for ever") {
                request, context in
                let caller = try await tiqrContext.caller(scopes, request, context, machinesOnly: true),
                    members = try await JSONMembers(request)
                let draft = try draft(members)
                let added = try await tiqr.addIdentifier(draft, by: caller)
                return Answer.json(added.identifier.json, status: added.isNew ? .created : .ok)
            }.telling(
                .ofTiqr(
                    body: "NewTiqrIdentifier", answer: "TiqrIdentifier", status: 201,
                    others: [OtherAnswer("200", "It is there already", "TiqrIdentifier")], errors: [409])),
            Endpoint(.get, path + "/identifiers", "tiqr: the service identifiers; the default one is always there") {
                request, context in
                _ = try await tiqrContext.caller(scopes, request, context, machinesOnly: true)
                return Answer.json(["identifiers": .array(try await tiqr.allIdentifiers().map(\.json))])
            }.telling(.ofTiqr(answer: "TiqrIdentifiers")),
            Endpoint(.post, path + "/enrollments", "tiqr: begins an enrollment") { request, context in
                let caller = try await tiqrContext.caller(scopes, request, context),
                    members = try await JSONMembers(request)
                let draft = EnrollmentDraft(
                    displayName: try members.required("display_name"), identifier: try members.text("identifier"),
                    externalID: try members.text("external_id"), expiresIn: try members.integer("expires_in", 1...3_600)
                )
                let started = try await tiqr.startEnrollment(draft, by: caller)
                return Answer.json(
                    started.json, status: .created,
                    headers: [.location: "\(tiqrContext.role.realm.base)/enrollments/\(started.view.id)"])
            }.telling(
                .ofTiqr(
                    body: "NewTiqrEnrollment", answer: "StartedTiqrEnrollment", status: 201, errors: [404, 409, 429])),
            Endpoint(.get, path + "/enrollments/{id}", "tiqr: how far an enrollment is; waits with Prefer") {
                request, context in
                let caller = try await tiqrContext.caller(scopes, request, context), id = try tiqrContext.name(context)
                return try await WatchedAnswer.respond(request, now: try await tiqr.enrollment(id, for: caller)) {
                    tag, seconds in
                    try await tiqr.enrollment(id, for: caller, unlike: tag, within: seconds)
                }
            }.telling(.tiqrWatched("TiqrEnrollment")),
            Endpoint(.delete, path + "/enrollments/{id}", "tiqr: cancels an enrollment") { request, context in
                let caller = try await tiqrContext.caller(scopes, request, context)
                try await tiqr.cancelEnrollment(try tiqrContext.name(context), for: caller)
                return Answer.empty(.noContent)
            }.telling(.ofTiqr(status: 204, errors: [409])),
        ]
    }

    /// With the app of its own that it may have. Which apps people of this IdP choose among is for operators.
    private static func draft(_ members: JSONMembers) throws -> IdentifierDraft {
        var draft = IdentifierDraft(
            identifier: try members.required("identifier"), displayName: try members.required("display_name"),
            suite: try members.required("suite"))
        draft.traits = IdentifierTraits(
            infoURL: try members.text("info_url"), enrollScheme: try members.text("enroll_scheme"),
            authScheme: try members.text("auth_scheme"), linkBase: try members.text("link_base"))
        draft.logo = try members.text("logo").map { text in
            guard let data = Data(base64Encoded: text), !data.isEmpty else {
                throw TiqrRefusal.invalidRequest("logo is a picture in base64")
            }
            return try IdentifierLogo(Array(data))
        }
        return draft
    }
}
