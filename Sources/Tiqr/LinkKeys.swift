import Base

/// The keys in links and QR codes: 128 bits in lower-case hex, computed from a row's id, so that they need not be
/// stored; the database has their SHA-256.
struct LinkKeys: Sendable {
    enum Purpose: String {
        /// Reads the metadata, once.
        case metadata
        /// Registers the phone, once; told by the metadata alone.
        case secret
        /// The tiqr session key.
        case session
        /// Draws the QR code without a token.
        case picture
    }

    let settings: TiqrSettings
    private let key: SecretBytes

    init(master: MasterKey, settings: TiqrSettings) { (self.settings, key) = (settings, master.derive("tiqr links")) }

    func text(_ purpose: Purpose, _ id: String) -> String {
        Hexadecimal.encode(Digest.hmac(key: key, "\(purpose.rawValue) \(id)".utf8).prefix(16))
    }

    func hash(_ purpose: Purpose, _ id: String) -> [UInt8] { Digest.sha256(text(purpose, id)) }

    /// The hash of what somebody shows; `nil` for what cannot be a key.
    static func hash(shown text: String) -> [UInt8]? {
        guard text.utf8.count == 32, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return Digest.sha256(text)
    }

    func opensPicture(_ shown: String, of id: String) -> Bool { ConstantTime.equal(shown, text(.picture, id)) }

    // MARK: Links

    func metadataURL(_ id: String) -> String { settings.metadataURL(key: text(.metadata, id)) }

    func enrollment(_ view: EnrollmentView, universal: Bool) -> String {
        let metadata = metadataURL(view.id), app = view.app
        return universal
            ? TiqrLink.enrollmentUniversal(
                metadata: metadata, base: (app.base ?? settings.root) + TiqrLink.enrollmentPath)
            : TiqrLink.enrollment(metadata: metadata, scheme: app.enrollScheme ?? settings.enrollScheme)
    }

    func authentication(_ view: AuthenticationView, universal: Bool) -> String {
        let challenge = view.challenge, app = challenge.app, session = text(.session, view.id)
        return universal
            ? TiqrLink.authenticationUniversal(
                identifier: challenge.identifier, session: session, challenge: challenge.question,
                identity: challenge.identity, base: (app.base ?? settings.root) + TiqrLink.authenticationPath)
            : TiqrLink.authentication(
                identifier: challenge.identifier, session: session, challenge: challenge.question,
                serviceProvider: challenge.serviceProvider,
                identity: challenge.identity, returnURL: challenge.returnURL,
                scheme: app.authScheme ?? settings.authScheme)
    }

    func pictures(_ kind: String, _ id: String) -> PictureAddresses {
        PictureAddresses(stem: "\(settings.base)/\(kind)/\(id)", key: text(.picture, id))
    }
}

/// Absolute URLs of the QR code; they work without a token while it can be scanned.
public struct PictureAddresses: Sendable {
    public let png: String
    public let svg: String

    init(stem: String, key: String) { (png, svg) = ("\(stem).png?k=\(key)", "\(stem).svg?k=\(key)") }

    public var json: JSONValue { ["png": .string(png), "svg": .string(svg)] }
}
