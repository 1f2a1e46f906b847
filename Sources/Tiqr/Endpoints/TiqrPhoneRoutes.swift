import Base
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth
import Pages
import Vocabulary

/// What a phone asks: three requests, without any login but the key in the link (protocols/tiqr.md, 1.1 to 1.7), and
/// the logo.
enum TiqrPhoneRoutes {
    /// `path` is the service's base below this host's root.
    static func endpoints(_ tiqr: TiqrService, path: String) -> [Endpoint] {
        [
            Endpoint(.get, path + "/metadata", "tiqr: what a phone enrolls for; answered once") { request, _ in
                try await metadata(tiqr, request)
            }.telling(.tiqrMetadata),
            Endpoint(.post, path + "/enrollment", "tiqr: a phone registers its secret") { request, context in
                let dialect = TiqrDialect(request)
                guard let form = try await fields(request) else {
                    return dialect.render(RegisterAnswer.refused("the form cannot be read, or has a field twice"))
                }
                let secret = try? QueryItems(request).one("enrollment_secret")
                return dialect.render(try await tiqr.register(secret: secret ?? "", form: form, origin: context.peer))
            }.telling(.tiqrEnrollment),
            Endpoint(.post, path + "/authentication", "tiqr: a phone answers a challenge") { request, context in
                let dialect = TiqrDialect(request)
                guard let form = try await fields(request) else { return dialect.render(LoginAnswer.invalidRequest) }
                return dialect.render(try await tiqr.login(form: form, origin: context.peer))
            }.telling(.tiqrAuthentication),
            Endpoint(.get, path + "/logo.png", "tiqr: the logo that phones show") { _, _ in
                let headers: HTTPFields = [.contentType: "image/png", .cacheControl: "public, max-age=86400"]
                return Response(
                    status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: MarkPicture.png)))
            }.telling(.tiqrLogo),
            Endpoint(.get, path + "/identifiers/{id}/logo", "tiqr: the logo of an identifier, if it has its own") {
                _, context in
                guard let name = context.parameters.get("id"), TiqrLanding.isHost(name),
                    let logo = try await tiqr.logo(of: name)
                else { throw OAuthError(.notFound, "there is no such logo") }
                // What it is was looked at when it came; a browser must not take it for anything else.
                let headers: HTTPFields = [
                    .contentType: logo.type, .cacheControl: "public, max-age=86400", .xContentTypeOptions: "nosniff",
                ]
                return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: logo.bytes)))
            }.telling(.tiqrOwnLogo),
        ]
    }

    /// Whatever is wrong with the key looks the same, and never has `service` in it: iOS reads any JSON, whatever the
    /// status.
    private static func metadata(_ tiqr: TiqrService, _ request: Request) async throws -> Response {
        // HEAD is made of GET, and whoever looks first must not use the key up for the phone.
        guard request.method == .get else { throw OAuthError(.methodNotAllowed, "metadata is read by GET, once") }
        guard let key = try? QueryItems(request).one("enrollment_key"), let metadata = try await tiqr.metadata(key: key)
        else {
            throw OAuthError(.notFound, "this enrollment is unknown, used or expired")
        }
        return Answer.json(metadata, headers: TiqrDialect(request).isJSON ? [.tiqrVersion: "2"] : [:])
    }

    /// The fields, whatever type the phone calls them; `nil` for what is no form. A body that is too large or cut off
    /// is an error of HTTP.
    private static func fields(_ request: Request) async throws -> [String: String]? {
        let body = try await BodyReading.bytes(request)
        return try? FormCodec.read(body)
    }
}
