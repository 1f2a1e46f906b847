import Base

/// How this server does tiqr.
public struct TiqrSettings: Sendable {
    /// `ISS/services/tiqr`.
    public let base: String
    /// Where `/tiqrenroll/` and `/tiqrauth/` are, without slash at the end.
    public let root: String
    /// The issuer's host name in lower case, without port: the identifier that is always there.
    public let defaultIdentifier: String
    public let displayName: String
    /// Raster, small, readable without login: iOS aborts an enrollment without it (protocols/tiqr.md, 1.5).
    public let logoURL: String
    public let infoURL: String
    public let enrollScheme: String
    public let authScheme: String
    /// Of the default identifier while it has none; frozen afterwards.
    public let defaultSuite: String
    /// What messages to phones say.
    public let texts: PhoneTexts
    public let numberMatching: NumberMatching

    /// Whether a push brings a number that the login page asks for (docs/design/number-matching.md).
    public enum NumberMatching: String, Sendable, CaseIterable { case off, push }

    public init(
        base: String, root: String, defaultIdentifier: String, displayName: String, logoURL: String, infoURL: String,
        enrollScheme: String = "tiqrenroll", authScheme: String = "tiqrauth",
        defaultSuite: String = "OCRA-1:HOTP-SHA1-6:QH10-S064", texts: PhoneTexts = .ours,
        numberMatching: NumberMatching = .off
    ) {
        (self.base, self.root, self.defaultIdentifier, self.displayName) = (
            base, root, defaultIdentifier.lowercased(), displayName
        )
        (self.texts, self.numberMatching) = (texts, numberMatching)
        (self.logoURL, self.infoURL, self.enrollScheme, self.authScheme, self.defaultSuite) = (
            logoURL, infoURL, enrollScheme, authScheme, defaultSuite
        )
    }

    /// The same for every identifier, for ever: the apps keep the first one that they saw.
    public var authenticationURL: String { base + "/authentication" }

    func metadataURL(key: String) -> String { base + "/metadata?enrollment_key=" + key }
    func enrollmentURL(secret: String) -> String { base + "/enrollment?enrollment_secret=" + secret }
    /// Where phones read the logo of an identifier that has one of its own.
    func logoURL(of identifier: String) -> String { base + "/identifiers/\(identifier)/logo" }
}
