import Base
import Foundation

/// What is to be mailed, before it has words: these are found when it is sent, in the language of who reads it.
public struct QueuedMail: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Somebody says that they forgot a password. Nobody has looked yet whose; `name` is what they typed.
        case asked
        /// A link that sets a new password, and one that sets the first.
        case reset, invite
        /// A link that shows that an address is read.
        case verify
        /// Notices: an app on a new phone, a login in a new browser, a new way to log in, one that was removed, a
        /// password or an address that changed.
        case device, browser, factor, factorRemoved, password, address
        /// An app that nobody uses is disconnected at that time, unless somebody opens it before.
        case idle

        /// Its subject is the name of a factor.
        public var isOfFactor: Bool { self == .factor || self == .factorRemoved }
    }

    public let kind: Kind
    /// The address; empty where nobody has looked yet.
    public let to: String
    /// The username, or what was typed.
    public let name: String
    /// ISO 639-1; `nil` where nobody knows.
    public let language: String?
    public let at: Date
    /// What the notice is about: the phone's name, the factor's, the new address, what a browser says of itself.
    public let subject: String?
    /// Where to do what is asked.
    public let link: String?
    /// Where to end what somebody else did.
    public let cut: String?

    public init(
        _ kind: Kind, to: String = "", name: String, language: String?, at: Date, subject: String? = nil,
        link: String? = nil, cut: String? = nil
    ) {
        (self.kind, self.to, self.name, self.language, self.at) = (kind, to, name, language, at)
        (self.subject, self.link, self.cut) = (subject, link, cut)
    }

    var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "to": .string(to), "name": .string(name), "language": JSONValue(language),
            "at": .integer(at.numericDate), "subject": JSONValue(subject), "link": JSONValue(link),
            "cut": JSONValue(cut),
        ]
    }

    /// Reads what `json` writes.
    init?(_ json: JSONValue) {
        guard let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)), let to = json["to"]?.string,
            let name = json["name"]?.string, let at = json["at"]?.integer
        else { return nil }
        self.init(
            kind, to: to, name: name, language: json["language"]?.string, at: Date(numericDate: at),
            subject: json["subject"]?.string, link: json["link"]?.string, cut: json["cut"]?.string)
    }
}
