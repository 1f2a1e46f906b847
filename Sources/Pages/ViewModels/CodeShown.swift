/// A QR code within a page: dark on a white ground of its own with its quiet zone, so that phones read it on a dark
/// page too. Beside it there is a link.
public struct CodeShown: Sendable {
    let side: Int, pixels: Int, path: String

    /// `nil` for what no code holds.
    public init?(_ text: String) {
        guard let code = try? QRCode(text) else { return nil }
        (side, pixels, path) = (code.side, code.side * QRCode.pixels, code.path)
    }

    static let template = """
        <svg class="qr" aria-hidden="true" width="{{pixels}}" height="{{pixels}}" viewBox="0 0 {{side}} {{side}}" \
        shape-rendering="crispEdges">\
        <path fill="#fff" d="M0 0h{{side}}v{{side}}h-{{side}}z"/><path fill="#000" d="{{path}}"/></svg>
        """
}
