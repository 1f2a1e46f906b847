import Accounts
import Base
import Database
import Federation
import Foundation
import Keys
import Registration

/// An error which says itself what the command line makes of it.
public protocol AdminRefusal: Error {
    var failure: AdminFailure { get }
}

/// An error of the command line, with the exit status that scripts read (docs/design/cli.md, "Manners").
public struct AdminFailure: Error {
    public enum Code: String, Sendable {
        case failed, usage, notFound = "not_found", conflict, invalid, unavailable, partial, forbidden
        /// The login is too old for what destroys (RFC 9470, section 3).
        case stepUp = "insufficient_user_authentication"

        public var exitStatus: Int32 {
            switch self {
            case .failed: 1
            case .usage: 2
            case .notFound: 3
            case .conflict: 4
            case .invalid: 5
            case .unavailable: 6
            case .partial: 7
            case .forbidden: 8
            case .stepUp: 9
            }
        }
    }

    public let code: Code
    public let description: String
    public let hint: String?
    /// With `stepUp`: how old a login may be, in seconds (`max_age`).
    public let maxAge: Int?
    /// What was named, where that is why: the command line asks what else was meant.
    public let missing: MissingName?

    public init(
        _ code: Code, _ description: String, hint: String? = nil, maxAge: Int? = nil, missing: MissingName? = nil
    ) {
        (self.code, self.description, self.hint) = (code, description, hint)
        (self.maxAge, self.missing) = (maxAge, missing)
    }

    public static func missing(_ kind: KnownNames.Kind, _ name: String, hint: String? = nil) -> AdminFailure {
        AdminFailure(
            .notFound, "there is no \(kind.rawValue) \(name)", hint: hint,
            missing: MissingName(kind: kind, name: name))
    }

    public static func noAccount(_ name: String) -> AdminFailure { missing(.account, name) }

    /// With a name that is there and much like the one that is not, where there is one.
    func asking(in executor: any SQLExecutor) async -> AdminFailure {
        guard let missing,
            let meant = try? await KnownNames(in: executor).meant(by: missing.name, missing.kind)
        else { return self }
        let question = "did you mean \(PlainText.harmless(meant))?"
        return AdminFailure(code, description, hint: hint.map { "\(question) \($0)" } ?? question, missing: missing)
    }

    /// The last line of stderr; JSON when asked for.
    public func report(json: Bool) {
        var object: JSONObject = ["error": .string(code.rawValue), "error_description": .string(description)]
        if let hint { object["hint"] = .string(hint) }
        let line =
            json ? JSONValue.object(object).text : "pando: \(description)" + (hint.map { "\n       \($0)" } ?? "")
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    /// What the rooms and products refuse, in the words of the command line.
    public init(_ error: any Error) {
        switch error {
        case let failure as AdminFailure: self = failure
        case let refusal as any AdminRefusal: self = refusal.failure
        case AccountStore.Refused.usernameTaken(let name): self.init(.conflict, "there is an account \(name) already")
        case AccountStore.Refused.unstableUsername:
            self.init(
                .invalid,
                "a username has none of the letters whose case or form is not the same everywhere, as İ, ſ and ß")
        case AccountStore.Refused.badUsername:
            self.init(.invalid, "a username has 1 to 64 characters, no blanks, and is not a UUID")
        case AccountStore.Refused.badEmail: self.init(.invalid, "that is no e-mail address")
        case let error as CommonPasswords.Unreadable:
            self.init(.failed, error.description, hint: "the setting common-passwords names it")
        case AppStore.Refused.appExists(let app): self.init(.conflict, "there is an app \(app) already")
        case AppStore.Refused.versionExists(let version): self.init(.conflict, "there is a version \(version) already")
        case AppStore.Refused.badName(let name):
            self.init(.invalid, "\(name): letters, digits, dot, hyphen and underscore only")
        case ServiceIndex.Refused.idTaken(let id, let other):
            self.init(.conflict, "the id \(id) is taken by the service at \(other.base) (\(other.status.rawValue))")
        case ServiceIndex.Refused.baseTaken(let base, let other):
            self.init(.conflict, "\(base) is taken by the service \(other.id) (\(other.status.rawValue))")
        case ServiceIndex.Refused.badAddress(let base): self.init(.invalid, "\(base) is not an absolute http(s) URL")
        case ServiceIndex.Refused.state(let text): self.init(.conflict, text)
        case JSONWebKey.Unacceptable.privateKey:
            self.init(
                .invalid, "the key: \(JSONWebKey.Unacceptable.privateKey)",
                hint: "of a pair by `pando admin keys generate --out FILE`, the public key is in FILE.pub")
        case let error as JSONWebKey.Unacceptable: self.init(.invalid, "the key: \(error)")
        case let error as WebClientStore.Unacceptable: self.init(.invalid, error.description)
        case let error as AppPolicy.Refused: self.init(.invalid, error.description)
        case let error as SigningKeys.Failure: self.init(.conflict, error.description)
        case let error as SealedSecrets.OtherMasterKey: self.init(.conflict, error.description)
        case let error as DatabaseError: self.init(database: error)
        default: self.init(.failed, "\(error)")
        }
    }

    private init(database error: DatabaseError) {
        switch error {
        case .unavailable:
            self.init(
                .unavailable, "the database cannot be reached", hint: "is it running, and does PANDO_DATABASE name it?")
        case .undefinedTable: self.init(.unavailable, "the database is not migrated", hint: "run `pando migrate`")
        default: self.init(.failed, "the database refused: \(error)")
        }
    }
}
