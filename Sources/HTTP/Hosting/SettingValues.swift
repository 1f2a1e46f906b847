import Base
import Foundation

/// What each key of the configuration is set to, and how such texts are read. All throw `UnacceptableSetting`.
public struct SettingValues: Sendable {
    private let texts: [Setting: String]

    public init(_ texts: [Setting: String]) { self.texts = texts }

    /// Its default where nobody has set it.
    public subscript(_ setting: Setting) -> String { texts[setting] ?? setting.fallback }

    /// What shows people this server: 1 to 100 characters.
    public func name(_ setting: Setting) throws -> String {
        let name = self[setting]
        guard (1...100).contains(name.count) else { throw Self.unacceptable(setting, "write 1 to 100 characters") }
        return name
    }

    public func flag(_ setting: Setting) throws -> Bool {
        guard ["true", "false"].contains(self[setting]) else { throw Self.unacceptable(setting, "write true or false") }
        return self[setting] == "true"
    }

    /// One of the words that `Word` has.
    public func choice<Word: CaseIterable & RawRepresentable<String>>(_ setting: Setting) throws -> Word {
        guard let word = Word(rawValue: self[setting]) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.unacceptable(setting, "\(self[setting]) is none of \(words)")
        }
        return word
    }

    /// Words between commas, without blanks around them.
    public func list(_ setting: Setting) -> [String] {
        self[setting].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    public func number(_ setting: Setting, in range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(self[setting]), range.contains(number) else {
            throw Self.unacceptable(
                setting, "\(self[setting]) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// An https URL, or one on this machine; `nil` for an empty one.
    public func url(_ setting: Setting) throws -> String? {
        let text = self[setting]
        guard !text.isEmpty else { return nil }
        guard let address = WebAddress(text), address.scheme == "https" || address.isLoopback else {
            throw Self.unacceptable(setting, "\(text) is no https URL")
        }
        return text
    }

    /// One that paths are put behind.
    public func endpoint(_ setting: Setting) throws -> String {
        guard let text = try url(setting), let address = WebAddress(text), address.query == nil else {
            throw Self.unacceptable(setting, "write an https URL without query")
        }
        return address.withoutQuery
    }

    /// A receiver of signed bodies and the file with its key; `nil` where both are empty.
    public func webhook(_ url: Setting, secret: Setting) throws -> WebhookSetting? {
        let address = try self.url(url), file = self[secret]
        guard (address == nil) == file.isEmpty else {
            throw UnacceptableSetting(description: "\(url.name), \(secret.name): one is nothing without the other")
        }
        return address.map { WebhookSetting(url: $0, secretFile: file, setting: secret) }
    }

    /// One entry of a list, `left=right`.
    public func pair(_ entry: String, of setting: Setting, example: String) throws -> (String, String) {
        let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw Self.unacceptable(setting, "\(entry) is not of the form \(example)") }
        return (parts[0], parts[1])
    }

    public static func unacceptable(_ setting: Setting, _ why: String) -> UnacceptableSetting {
        UnacceptableSetting(description: "\(setting.name): \(why)")
    }

    /// The text of a file that a setting names.
    public static func read(_ file: String, _ setting: Setting) throws -> String {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw unacceptable(setting, "\(file) cannot be read")
        }
        return text
    }
}

extension String {
    /// A scheme of an app's own (RFC 3986, 3.1), which no browser opens itself.
    public var isAppScheme: Bool {
        wholeMatch(of: #/[a-z][a-z0-9+.\-]{1,62}/#) != nil && !["http", "https"].contains(self)
    }
}

/// Who gets what nothing else here can send, and the key that signs it.
public struct WebhookSetting: Sendable {
    public let url: String
    let secretFile: String
    let setting: Setting

    /// Reads the file: 32 bytes or more as base64url.
    public func secret() throws -> SecretBytes {
        let text = try SettingValues.read(secretFile, setting).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let secret = Base64URL.decode(text), secret.count >= 32 else {
            throw SettingValues.unacceptable(setting, "\(secretFile) must hold 32 bytes or more as base64url")
        }
        return SecretBytes(secret)
    }
}
