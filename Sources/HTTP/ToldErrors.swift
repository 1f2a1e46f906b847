/// Which errors an endpoint gives, by status. Of its kind follow those that everything of this server gives: who is to
/// show something may be refused, a body may be too large, the database may be away. Those of one endpoint alone are in
/// its shape.
///
/// Not told, since they say nothing about the endpoint: 405, which another method gets, with `Allow` (RFC 9110,
/// 15.5.6); 408, for a body that does not come to its end; 500, which is a fault of the server.
enum ToldErrors {
    /// The answers of `shape` besides the one that was hoped for, each status once.
    static func answers(of shape: EndpointShape, path: String) -> [OtherAnswer] {
        let told = shape.others.filter { $0.status != "default" }
        guard let family = shape.others.first(where: { $0.status == "default" }) else { return told }
        let known = Set(told.map(\.status) + [shape.status.map { String($0) } ?? ""])
        return told
            + statuses(of: shape, path: path).filter { !known.contains(String($0)) }.map { error($0, like: family) }
    }

    private static func statuses(of shape: EndpointShape, path: String) -> [Int] {
        var statuses: Set<Int> = [400, 429, 503]
        statuses.formUnion(shape.errors)
        let shown = shape.security.flatMap { $0 }
        if shown.contains(where: { !$0.isCookie }) { statuses.insert(401) }
        if !shown.isEmpty { statuses.insert(403) }
        if path.contains("{") { statuses.insert(404) }
        if shape.takesBody { statuses.formUnion([413, 415]) }
        return statuses.sorted()
    }

    static func error(_ status: Int, like family: OtherAnswer) -> OtherAnswer {
        let (name, about) = words[status] ?? ("Error\(status)", "An error")
        let schema = family.schema == OpenAPISchema.oauthError.name ? "" : family.schema ?? ""
        return OtherAnswer(
            String(status), about, family.schema, type: family.type, otherTypes: family.otherTypes,
            headers: headers(status), component: schema + (family.otherTypes.isEmpty ? "" : "Page") + name)
    }

    private static func headers(_ status: Int) -> [String: String] {
        switch status {
        case 401: ["WWW-Authenticate": "How to authenticate (RFC 9110, 11.6.1)"]
        case 429: OtherAnswer.retry.merging(OtherAnswer.limits) { one, _ in one }
        case 503: OtherAnswer.retry
        default: [:]
        }
    }

    private static let words: [Int: (name: String, about: String)] = [
        400: (
            "BadRequest", "Something in the request is missing, wrong, or there twice: `error_description` says what"
        ),
        401: ("Unauthorized", "No client, token or proof is shown, or none that is good here"),
        403: ("Forbidden", "What is shown is good, and not enough; or the request comes from another site"),
        404: ("NotFound", "There is nothing of that name, or nothing that concerns who asks"),
        409: ("Conflict", "It does not go with what is there"),
        412: ("PreconditionFailed", "It is not what If-Match says"),
        413: ("ContentTooLarge", "The body is larger than what is read"),
        415: ("UnsupportedMediaType", "The body is of another type than those that are read"),
        422: ("UnprocessableContent", "A value is not acceptable: `error_description` says which"),
        429: ("TooManyRequests", "Asked too often, from this address or by this client"),
        501: ("NotImplemented", "It is a part of the standard that is not offered here"),
        503: ("ServiceUnavailable", "The database cannot be reached, or others have all places"),
    ]
}

extension OtherAnswer {
    /// An error of that status as OAuth has it, where others of the endpoint are told in another way.
    public static func oauthError(_ status: Int) -> OtherAnswer { ToldErrors.error(status, like: .oauthError) }

    /// What a page of ours answers that cannot be shown: a page that says why, and to programs the error itself.
    public static let pageError = OtherAnswer(
        "default", "An error", OpenAPISchema.oauthError.name,
        otherTypes: ["text/html": OpenAPISchema.page.name])
}
