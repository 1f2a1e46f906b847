import Base
import HTTP
import Hummingbird
import OAuth
import Pages
import PowerAuth
import Vocabulary

/// A QR code beside the text that it holds: `?qr=svg` or `?qr=png` adds the member `qr`, a data URL that stands in
/// `<img>` as it is. Activation codes are told once and kept as hashes, so there is nothing that a later GET could
/// draw.
struct OperationsPicture: Sendable {
    static let parameter = "qr"

    private enum Format: String, CaseIterable { case svg, png }

    private let format: Format?

    init(_ request: Request) throws {
        guard let word = try QueryItems(request).one(OperationsPicture.parameter) else {
            format = nil
            return
        }
        guard let known = Format(rawValue: word) else { throw OAuthError(.invalidRequest, "qr is svg or png") }
        format = known
    }

    func added(to json: JSONValue, of text: String) throws -> JSONValue {
        guard let format, var members = json.object else { return json }
        let code: QRCode
        do { code = try QRCode(text) } catch {
            throw OAuthError(.invalidRequest, "this is too long for a QR code; leave out qr")
        }
        let url =
            switch format {
            case .svg: "data:image/svg+xml;base64," + Base64Text.encode(code.svg.utf8)
            case .png: "data:image/png;base64," + Base64Text.encode(code.png)
            }
        members["qr"] = .string(url)
        return .object(members)
    }
}
