import Base
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth
import Pages
import Vocabulary

/// QR codes as pictures: by the key in their URL, so that `<img>` works, or by a token (design/backoffice.md,
/// "Pictures").
enum TiqrPictureRoutes {
    private enum Format: String, CaseIterable {
        case png, svg

        var type: String { self == .png ? "image/png" : "image/svg+xml" }
    }

    static func endpoints(_ tiqrContext: TiqrRequestContext, path: String) -> [Endpoint] {
        let tiqr = tiqrContext.tiqr
        return Format.allCases.flatMap { format in
            [
                Endpoint(
                    .get, path + "/enrollments/{id}.\(format.rawValue)",
                    "tiqr: an enrollment's QR code, until it is scanned"
                ) { request, context in
                    let viewer = try await whoAsks(tiqrContext, TiqrRoutes.enroll, request, context),
                        universal = try isUniversal(request)
                    return try draw(
                        try await tiqr.enrollmentPicture(
                            try tiqrContext.name(context), universal: universal, for: viewer), format)
                }.telling(.tiqrPicture(format.type)),
                Endpoint(
                    .get, path + "/authentications/{id}.\(format.rawValue)",
                    "tiqr: an authentication's QR code, while it is pending"
                ) { request, context in
                    let viewer = try await whoAsks(tiqrContext, TiqrRoutes.auth, request, context),
                        universal = try isUniversal(request)
                    return try draw(
                        try await tiqr.authenticationPicture(
                            try tiqrContext.name(context), universal: universal, for: viewer), format)
                }.telling(.tiqrPicture(format.type)),
            ]
        }
    }

    private static func whoAsks(
        _ tiqrContext: TiqrRequestContext, _ scope: String, _ request: Request, _ context: RoutedContext
    ) async throws -> TiqrService.PictureViewer {
        if let key = try QueryItems(request).one("k") { return .key(key) }
        return .caller(try await tiqrContext.caller([scope], request, context))
    }

    private static func isUniversal(_ request: Request) throws -> Bool {
        switch try QueryItems(request).one("link") {
        case nil, "custom": return false
        case "universal": return true
        default: throw OAuthError(.invalidRequest, "link is custom or universal")
        }
    }

    private static func draw(_ text: String, _ format: Format) throws -> Response {
        let code: QRCode
        do { code = try QRCode(text) } catch .tooLong {
            throw OAuthError(.invalidRequest, "the link, with its return_url, is too long for a QR code")
        }
        let body =
            switch format {
            case .png: ByteBuffer(bytes: code.png)
            case .svg: ByteBuffer(string: code.svg)
            }
        // Opened by itself, an SVG is a document.
        let headers: HTTPFields = [
            .contentType: format.type, .cacheControl: "no-store",
            .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
        ]
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: body))
    }
}
