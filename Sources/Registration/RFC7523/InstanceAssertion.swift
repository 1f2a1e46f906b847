import Base
import Foundation
import Keys
import Vocabulary

/// The claims of a registration, checked (api.md, "Grants at ISS/token"; RFC 7523, 3; RFC 7800 for `cnf`).
public struct InstanceAssertion: Sendable {
    public let jti: String
    public let expires: Date
    public let deviceID: String
    public let device: DeviceInformation
    /// The instance's own public key.
    public let key: JSONWebKey

    private static let standard: Set<String> = [
        "iss", "sub", "aud", "iat", "exp", "nbf", "jti", "cnf", "name", "device_type", "os_version",
    ]

    /// `jwt` came from `version`; everything about it is verified here but the one use of its `jti`. `isFirst` where it
    /// is to make an instance: then the device says what it is, unless the app is of the first generation.
    init(_ jwt: JWT, version: AppVersion, issuer: String, isFirst: Bool, at now: Date) async throws {
        let key = try await JSONWebKey(version.jwk)
        guard jwt.kid == version.kid else {
            throw ClientAssertion.refused("header kid is not the key id of \(version.id)")
        }
        guard jwt.isSigned(by: key) else {
            throw ClientAssertion.refused("the signature is not by the key of \(version.id)")
        }
        let times = try ClientAssertion.check(jwt, by: .instance(issuer), at: now)
        (jti, expires) = (times.jti, times.expires)
        guard let sub = jwt.string("sub"), (1...255).contains(sub.utf8.count) else {
            throw ClientAssertion.refused("sub must be the device id, 1 to 255 bytes")
        }
        deviceID = sub
        do {
            guard let own = try await Confirmation.key(of: jwt) else {
                throw ClientAssertion.refused("cnf.jwk, the instance's own public key, is missing")
            }
            self.key = own
        } catch let refusal as Confirmation.Refused {
            throw ClientAssertion.refused(refusal.description)
        }
        guard self.key.thumbprint != key.thumbprint else {
            throw ClientAssertion.refused("cnf.jwk is the version key; an instance needs a key of its own")
        }
        device = try InstanceAssertion.device(jwt)
        if isFirst, !version.isLegacy { try device.requireAll() }
    }

    private static func device(_ jwt: JWT) throws -> DeviceInformation {
        func text(_ name: String) throws -> String? {
            guard let value = jwt[name], value != .null else { return nil }
            guard let text = value.string, text.utf8.count <= 800 else {
                throw ClientAssertion.refused("\(name) must be text of at most 800 bytes")
            }
            return text
        }
        let other = jwt.claims.filtered { !standard.contains($0) }
        return DeviceInformation(
            name: try text("name"), deviceType: try text("device_type"), osVersion: try text("os_version"), other: other
        )
    }
}

extension DeviceInformation {
    /// Name, type and system: by these its owner tells one phone from another (decisions.md, Federation 1).
    fileprivate func requireAll() throws {
        let said = [("name", name), ("device_type", deviceType), ("os_version", osVersion)]
        let missing = said.filter { ($0.1 ?? "").isEmpty }.map(\.0)
        guard missing.isEmpty else {
            throw ClientAssertion.refused(
                "the device says what it is; missing: \(missing.joined(separator: ", "))")
        }
    }
}
