import Base
import TokenTree

/// What a QR code says (design/backoffice.md, "Pictures"). Throws `TiqrRefusal.notFound` once it was scanned or used,
/// or is dead.
extension TiqrService {
    /// Who asks for a picture: the bearer of the key in its URL, or a caller with a token.
    public enum PictureViewer: Sendable {
        case key(String)
        case caller(TiqrCaller)
    }

    /// The text to draw. Without its metadata read, an enrollment can be scanned.
    public func enrollmentPicture(_ id: String, universal: Bool, for viewer: PictureViewer) async throws -> String {
        let view = try await enrollments.find(id, for: try caller(for: id, viewer), in: database)
        guard view.status == .initialized else { throw TiqrRefusal.notFound("there is nothing to scan any more") }
        return links.enrollment(view, universal: universal)
    }

    public func authenticationPicture(_ id: String, universal: Bool, for viewer: PictureViewer) async throws -> String {
        let view = try await authentications.find(id, for: try caller(for: id, viewer), in: database)
        guard view.status == .pending else { throw TiqrRefusal.notFound("there is nothing to scan any more") }
        return links.authentication(view, universal: universal)
    }

    /// The right key sees its one thing, whoever made it.
    private func caller(for id: String, _ viewer: PictureViewer) throws(TiqrRefusal) -> TiqrCaller {
        switch viewer {
        case .caller(let caller): return caller
        case .key(let key):
            guard links.opensPicture(key, of: id) else { throw .notFound("there is no such picture") }
            return .administrator(.server)
        }
    }
}
