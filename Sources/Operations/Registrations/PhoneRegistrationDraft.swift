import Base
import Foundation
import PowerAuth

/// POST /v2/registrations, as the caller asks.
public struct PhoneRegistrationDraft: Sendable {
    static let codeLifetime: TimeInterval = 600
    static let longest: TimeInterval = 30 * 86_400
    static let longestFlag = 100

    /// An app may leave it out: it is its person.
    let userID: String?
    let appID: String?
    let otp: String?
    let otpValidation: OTPValidation?
    let commitPhase: CommitPhase
    let flags: [String]
    /// Until when the code can be used, and at least two minutes longer the registration committed; ten minutes from
    /// now without.
    let expires: Date?
    /// Which protocol's key signs the activation code: an app checks it by the one that it speaks. Without, that of 3.3
    /// where the application takes it. The code is taken in either.
    let protocolVersion: PhoneProtocol?

    public init(_ json: JSONValue) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        let validation = try PhoneRegistrationDraft.word(members, "otpValidation", OTPValidation.init(rawValue:))
        let phase = try PhoneRegistrationDraft.word(members, "commitPhase", CommitPhase.init(rawValue:))
        let expires = try members.integer("timestampRegistrationExpire", 0...1 << 52)
        let version = try members.text("protocol")
        guard version.map(PhoneProtocol.init(rawValue:)) != .some(nil) else {
            throw .request("protocol is 3.3 or 4.0")
        }
        try self.init(
            userID: try members.text("userId", limit: 255), appID: try members.filled("appId", limit: 100),
            otp: try members.text("otp", limit: 64),
            otpValidation: validation, commitPhase: phase ?? .onCommit, flags: try members.strings("flags") ?? [],
            expires: expires.map { Milliseconds.date(Int64($0)) },
            protocolVersion: version.flatMap(PhoneProtocol.init(rawValue:)))
    }

    /// A password without a word when it is due is due in the key exchange, where the person has both phone and
    /// password at hand.
    public init(
        userID: String?, appID: String? = nil, otp: String? = nil, otpValidation: OTPValidation? = nil,
        commitPhase: CommitPhase = .onCommit,
        flags: [String] = [], expires: Date? = nil, protocolVersion: PhoneProtocol? = nil
    ) throws(BackOfficeRefusal) {
        if let userID {
            guard (1...255).contains(userID.unicodeScalars.count), !ControlCharacters.isIn(userID, butNewline: false)
            else {
                throw .request("userId is 1 to 255 characters without control characters")
            }
        }
        if let otp {
            guard (1...64).contains(otp.unicodeScalars.count) else { throw .request("otp is 1 to 64 characters") }
        } else {
            guard otpValidation == nil else { throw .request("otpValidation without otp") }
        }
        if otpValidation == .onCommit, commitPhase == .onKeyExchange {
            throw .request("nobody commits a registration that is active at the key exchange")
        }
        self.protocolVersion = protocolVersion
        (self.userID, self.appID, self.otp, self.commitPhase, self.expires) = (userID, appID, otp, commitPhase, expires)
        self.otpValidation = otp == nil ? nil : otpValidation ?? .onKeyExchange
        self.flags = try PhoneRegistrationDraft.checked(flags)
    }

    static func checked(_ flags: [String]) throws(BackOfficeRefusal) -> [String] {
        guard flags.count <= 20,
            flags.allSatisfy({
                (1...longestFlag).contains($0.unicodeScalars.count) && !ControlCharacters.isIn($0, butNewline: false)
            })
        else {
            throw .request("flags are up to 20 strings of 1 to 100 characters without control characters")
        }
        return flags
    }

    /// When the code ends.
    func codeEnds(from now: Date) throws(BackOfficeRefusal) -> Date {
        guard let expires else { return now.addingTimeInterval(PhoneRegistrationDraft.codeLifetime) }
        guard expires > now, expires <= now.addingTimeInterval(PhoneRegistrationDraft.longest) else {
            throw .request("timestampRegistrationExpire is in the past, or more than 30 days ahead")
        }
        return expires
    }

    private static func word<Word>(
        _ members: BackOfficeMembers, _ name: String, _ read: (String) -> Word?
    ) throws(BackOfficeRefusal) -> Word? {
        guard let text = try members.text(name) else { return nil }
        guard let word = read(text) else { throw .request("\(name) is ON_COMMIT or ON_KEY_EXCHANGE") }
        return word
    }
}

/// PUT /v2/registrations/{id}.
public enum RegistrationChange: Sendable, Equatable {
    case block(reason: String)
    case unblock
    case remove
    case flags([String])

    public init(_ json: JSONValue) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        switch try members.required("change") {
        case "BLOCK": self = .block(reason: try members.filled("blockedReason") ?? "NOT_SPECIFIED")
        case "UNBLOCK": self = .unblock
        case "REMOVE": self = .remove
        case "FLAGS":
            guard let flags = try members.strings("flags") else { throw .request("flags is missing") }
            self = .flags(try PhoneRegistrationDraft.checked(flags))
        default: throw .request("change is BLOCK, UNBLOCK, REMOVE or FLAGS")
        }
    }
}

/// POST …/{id}/commit.
public struct RegistrationCommit: Sendable {
    let externalUserID: String?
    let otp: String?

    public init(_ json: JSONValue) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        self.init(externalUserID: try members.filled("externalUserId"), otp: try members.text("otp", limit: 64))
    }

    /// `externalUserID` is who did it at the caller's, for the audit.
    public init(externalUserID: String? = nil, otp: String? = nil) {
        (self.externalUserID, self.otp) = (externalUserID, otp)
    }
}
