import Base
import HTTPTypes
import Hummingbird
import NIOCore

/// A page: HTML that nothing may frame, store or extend with script of its own making.
public enum PageAnswer {
    private static let policy =
        """
        default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; \
        form-action 'self'
        """

    /// Of a page that waits, or that asks for a passkey: our script, and what it asks this server.
    private static let scripted = "script-src 'self'; connect-src 'self'; "

    /// `leadsTo`: addresses outside to which the answer to its form may redirect; browsers hold `form-action` against
    /// those too. `hasScript`: the page waits for something (`WatchedEvents`), or asks for a passkey. `hasForm` is
    /// false on a page whose links hold keys: without a form it can keep its address to itself.
    public static func html(
        _ text: String, status: HTTPResponse.Status = .ok, headers extra: HTTPFields = [:], leadsTo: [String] = [],
        hasScript: Bool = false,
        hasForm: Bool = true
    ) -> Response {
        var headers = extra
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.contentSecurityPolicy] = ([(hasScript ? scripted : "") + policy] + leadsTo.compactMap(source)).joined(
            separator: " ")
        headers[.cacheControl] = "no-store"
        // Not no-referrer: browsers would then say `Origin: null` with our own forms.
        headers[.referrerPolicy] = hasForm ? "same-origin" : "no-referrer"
        headers[.frameOptions] = "DENY"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// 303: whatever the method was, the next is GET (RFC 9700, 4.12).
    public static func redirect(_ url: String) -> Response {
        Response(
            status: .seeOther,
            headers: [
                .location: url, .cacheControl: "no-store",
                .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
            ])
    }

    /// A CSP source expression (CSP 3, 2.3.1): the scheme alone. Who gets a person back may lead them on to another
    /// host, as a broker does to its application, and browsers hold `form-action` against each step.
    private static func source(_ address: String) -> String? {
        guard let scheme = address.split(separator: ":").first,
            scheme.wholeMatch(of: #/[A-Za-z][A-Za-z0-9+.\-]{0,60}/#) != nil
        else { return nil }
        return scheme.lowercased() + ":"
    }

    /// Whether the caller would rather read a page than JSON: HTML is named, and before JSON.
    public static func isWanted(_ request: Request) -> Bool {
        guard let accept = request.headers[.accept]?.lowercased(), let html = accept.range(of: "text/html") else {
            return false
        }
        guard let json = accept.range(of: "application/json") else { return true }
        return html.lowerBound < json.lowerBound
    }
}

extension HTTPField.Name {
    static let frameOptions = named("X-Frame-Options")
}
