import Base
import HTTP
import PKIX
import WebAuthn

/// What passkeys are bound to, checked as far as it can be without reading files. Wallets' are bound to the same.
public struct PasskeyValues: Sendable {
    struct Roots: Sendable { let format: AttestationFormat, file: String }

    /// What phones and browsers call this server beside a passkey.
    public let name: String
    /// The RP ID: the issuer's host, or a domain above it.
    public let rpID: String
    /// The issuer's, and those of the IdP's own apps on Android. On iOS they say `https://` and the RP ID.
    public let origins: Set<String>
    let conveyance: AttestationPolicy.Conveyance
    let roots: [Roots]

    public init(_ values: SettingValues, issuer: WebAddress) throws {
        name = try values.name(.passkeyName)
        let rpID = values[.relyingParty].isEmpty ? issuer.host : values[.relyingParty]
        guard rpID == issuer.host || (issuer.host.hasSuffix("." + rpID) && rpID.contains(".")) else {
            throw SettingValues.unacceptable(
                .relyingParty, "\(rpID) is neither the issuer's host nor a domain above it")
        }
        self.rpID = rpID
        let apps = values.list(.passkeyOrigins)
        for app in apps where app.wholeMatch(of: #/android:apk-key-hash:[A-Za-z0-9_\-]{43}/#) == nil {
            throw SettingValues.unacceptable(
                .passkeyOrigins, "\(app) is no app such as android:apk-key-hash:… with 43 letters")
        }
        origins = Set([issuer.origin] + apps)
        guard let conveyance = AttestationPolicy.Conveyance(rawValue: values[.attestation]) else {
            throw SettingValues.unacceptable(.attestation, "write none, indirect, direct or enterprise")
        }
        self.conveyance = conveyance
        roots = try values.list(.attestationRoots).map { entry in
            let (word, file) = try values.pair(entry, of: .attestationRoots, example: "packed=roots.pem")
            guard let format = AttestationFormat(rawValue: word), format != .none else {
                throw SettingValues.unacceptable(
                    .attestationRoots, "\(word) is none of packed, fido-u2f, apple, android-key, tpm")
            }
            return Roots(format: format, file: file)
        }
    }

    /// What is asked of authenticators. With roots, certificates that lead to none of them are refused; statements
    /// without certificates are as good as before. Where nobody registers no file is read: `isServing` is false.
    public func attestation(isServing: Bool) throws -> AttestationPolicy {
        guard isServing else { return .lenient }
        var read: [AttestationFormat: AttestationRoots] = [:]
        for entry in roots {
            guard read[entry.format] == nil else {
                throw SettingValues.unacceptable(
                    .attestationRoots, "\(entry.format.rawValue) comes twice; one file holds many certificates")
            }
            let text = try SettingValues.read(entry.file, .attestationRoots)
            do { read[entry.format] = try AttestationRoots(pem: text) } catch {
                throw SettingValues.unacceptable(.attestationRoots, "\(entry.file) holds no certificates in PEM")
            }
        }
        let unwanted: Set<AttestationTrust> = read.isEmpty ? [] : [.unverified]
        return AttestationPolicy(
            conveyance: conveyance, trust: Set(AttestationTrust.allCases).subtracting(unwanted), roots: read)
    }
}
