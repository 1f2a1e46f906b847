import Base
import Database
import Foundation

/// POST /authentications, as the caller asks.
public struct AuthenticationDraft: Sendable {
    /// Without one the phone chooses.
    public let identity: String?
    public let identifier: String?
    public let serviceProvider: String?
    public let returnURL: String?
    public let push: Bool
    /// Where it is pushed, a number goes with it that whoever began it must tell (docs/design/number-matching.md).
    let asksNumber: Bool
    /// Seconds; 180 without.
    public let expiresIn: Int?

    public init(
        identity: String? = nil, identifier: String? = nil, serviceProvider: String? = nil, returnURL: String? = nil,
        push: Bool = false,
        expiresIn: Int? = nil, asksNumber: Bool = false
    ) {
        (self.identity, self.identifier, self.serviceProvider) = (identity, identifier, serviceProvider)
        (self.returnURL, self.push, self.expiresIn, self.asksNumber) = (returnURL, push, expiresIn, asksNumber)
    }

    func checked() throws(TiqrRefusal) -> AuthenticationDraft {
        if let serviceProvider { try ShownText.check(serviceProvider, "service_provider") }
        if let returnURL {
            // The apps add `?successful=1` (protocols/tiqr.md, 1.6).
            let isWeb = returnURL.hasPrefix("https://") || returnURL.hasPrefix("http://")
            guard isWeb, !returnURL.contains("#"), !returnURL.contains("?"), WebAddress(returnURL) != nil else {
                throw .invalidRequest("return_url is an http or https URL without query and fragment")
            }
        }
        guard (1...600).contains(expiresIn ?? 180) else { throw .invalidRequest("expires_in is 1 to 600 seconds") }
        return self
    }
}

public enum AuthenticationStatus: String, Sendable { case pending, authenticated, expired, cancelled, failed }

/// How the answer came: from the phone itself, or typed by its user.
public enum AnswerMethod: String, Sendable { case online, otp }

/// GET /authentications/{id}.
public struct AuthenticationView: Sendable, WaitedFor {
    public let id: String
    public let status: AuthenticationStatus
    public let expiresAt: Date
    /// Once authenticated, or if the caller named it.
    public let identity: String?
    public let externalID: String?
    public let method: AnswerMethod?
    public let authenticatedAt: Date?
    let version: Int
    let challenge: Challenge
    var number: PushedNumber?

    public var etag: String { "\(version)-\(status.rawValue)" }
    public var changesAt: Date? { status == .pending ? expiresAt : nil }

    public var json: JSONValue {
        var members: JSONObject = [
            "id": .string(id), "status": .string(status.rawValue), "expires_at": .string(expiresAt.rfc3339),
        ]
        if let identity { members["identity"] = .string(identity) }
        if let externalID { members["external_id"] = .string(externalID) }
        if let method { members["method"] = .string(method.rawValue) }
        if let authenticatedAt { members["authenticated_at"] = .string(authenticatedAt.rfc3339) }
        return .object(members)
    }
}

/// What stands in the link of an authentication, beside its session key.
struct Challenge: Sendable {
    let identifier: String
    let question: String
    /// As named by the caller.
    let identity: String?
    let serviceProvider: String?
    let returnURL: String?
    let app: AppLinks
}

public enum PushOutcome: String, Sendable {
    case none, queued
    case noAddress = "no_address"
}

/// The answer to POST /authentications.
public struct StartedAuthentication: Sendable {
    public let view: AuthenticationView
    public let authURL: String
    public let universalLink: String
    public let pictures: PictureAddresses
    public let push: PushOutcome

    init(view: AuthenticationView, push: PushOutcome, links: LinkKeys) {
        (self.view, self.push) = (view, push)
        authURL = links.authentication(view, universal: false)
        universalLink = links.authentication(view, universal: true)
        pictures = links.pictures("authentications", view.id)
    }

    public var json: JSONValue {
        [
            "id": .string(view.id), "status": .string(view.status.rawValue), "auth_url": .string(authURL),
            "universal_link": .string(universalLink),
            "qr": pictures.json, "push": .string(push.rawValue), "expires_at": .string(view.expiresAt.rfc3339),
        ]
    }
}

/// What the phone is told about its answer (protocols/tiqr.md, 1.7).
public enum LoginAnswer: Sendable, Equatable {
    case authenticated
    /// Never with 0: iOS would block every identity of the phone.
    case wrong(attemptsLeft: Int)
    case invalidRequest
    case invalidChallenge
    case blocked(minutes: Int)
    case invalidUser

    public var responseCode: Int {
        switch self {
        case .authenticated: 1
        case .wrong: 201
        case .invalidRequest: 202
        case .invalidChallenge: 203
        case .blocked: 204
        case .invalidUser: 205
        }
    }

    /// Protocol 1, without newline.
    public var text: String {
        switch self {
        case .authenticated: "OK"
        case .wrong(let left): "INVALID_RESPONSE:\(left)"
        case .invalidRequest: "INVALID_REQUEST"
        case .invalidChallenge: "INVALID_CHALLENGE"
        case .blocked(let minutes): "ACCOUNT_BLOCKED:\(minutes)"
        case .invalidUser: "INVALID_USERID"
        }
    }

    /// Protocol 2.
    public var json: JSONValue {
        var members: JSONObject = ["responseCode": .integer(responseCode)]
        if case .wrong(let left) = self { members["attemptsLeft"] = .integer(left) }
        if case .blocked(let minutes) = self { members["duration"] = .integer(minutes) }
        return .object(members)
    }
}
