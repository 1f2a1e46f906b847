import Base

/// The links that a phone scans or follows (protocols/tiqr.md, 1.4 and 1.6), in both forms.
///
/// A universal link's `base` is the landing page's own address with its last slash, `https://host/tiqrenroll/` or
/// `https://host/tiqrauth/`: iOS compares the whole path. A scheme is written without `://`.
public enum TiqrLink {
    public static let enrollmentPath = "/tiqrenroll/", authenticationPath = "/tiqrauth/"
    /// Those of the tiqr app.
    public static let enrollmentScheme = "tiqrenroll", authenticationScheme = "tiqrauth"
    /// Always 2: without it iOS takes OCRA of protocol 1, which is not RFC 6287.
    static let version = "2"

    /// The metadata URL stands behind the scheme as it is.
    public static func enrollment(metadata: String, scheme: String) -> String { "\(scheme)://\(metadata)" }

    public static func enrollmentUniversal(metadata: String, base: String) -> String {
        "\(base)?metadata=\(FormCodec.encode(metadata))"
    }

    /// `identity` is `nil` when the phone shall choose. `returnURL` is http(s) without a query, as iOS adds its own.
    ///
    /// Without a `serviceProvider` to show, the identifier stands in its place: iOS passes over an empty part, and
    /// takes the version from the wrong one.
    public static func authentication(
        identifier: String, session: String, challenge: String, serviceProvider: String?, identity: String?,
        returnURL: String?, scheme: String
    ) -> String {
        let user = identity.map { FormCodec.encode($0) + "@" } ?? ""
        let shown = FormCodec.encode(part(serviceProvider) ?? identifier)
        let back = returnURL.map { "?" + FormCodec.encode($0) } ?? ""
        return "\(scheme)://\(user)\(identifier)/\(session)/\(challenge)/\(shown)/\(version)\(back)"
    }

    /// Has no room for a service provider or a return URL.
    public static func authenticationUniversal(
        identifier: String, session: String, challenge: String, identity: String?, base: String
    ) -> String {
        let user = identity.map { [("u", $0)] } ?? []
        return base + "?"
            + FormCodec.write(user + [("i", identifier), ("s", session), ("q", challenge), ("v", version)])
    }

    /// `nil` for what would not stay one part of a path, encoded or not: nothing, blanks, and dots, which URL parsers
    /// take away (RFC 3986, 5.2.4).
    private static func part(_ text: String?) -> String? {
        guard let text, !text.allSatisfy(\.isWhitespace), text != ".", text != ".." else { return nil }
        return text
    }
}
