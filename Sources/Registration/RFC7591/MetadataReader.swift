import Base
import Vocabulary

/// Reads members of client metadata by shape and size. A member that is null is absent; one of another shape is
/// refused.
struct MetadataReader {
    let members: JSONObject

    subscript(name: String) -> JSONValue? {
        let value = members[name]
        return value == .null ? nil : value
    }

    /// A string as it stands, of 1 to so many bytes.
    func string(_ name: String, longest: Int) throws(OAuthError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string, (1...longest).contains(text.utf8.count) else {
            throw refused("\(name) must be a string of 1 to \(longest) bytes")
        }
        return text
    }

    /// A string that people see.
    func text(_ name: String, longest: Int) throws(OAuthError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string, DisplayText.isFit(text, longest: longest) else {
            throw refused(
                """
                \(name) must be a string of 1 to \(longest) characters, without control characters and bidirectional \
                overrides
                """
            )
        }
        return text
    }

    /// An array of strings; one that comes twice is kept once.
    func list(
        _ name: String, most: Int, longest: Int, refusing code: OAuthError.Code = .invalidClientMetadata
    ) throws(OAuthError) -> [String]? {
        guard let value = self[name] else { return nil }
        guard let items = value.array, items.count <= most, let texts = value.strings,
            texts.allSatisfy({ (1...longest).contains($0.utf8.count) })
        else {
            throw OAuthError(code, "\(name) must be an array of at most \(most) strings of 1 to \(longest) bytes")
        }
        var seen: Set<[UInt8]> = []
        return texts.filter { seen.insert(Array($0.utf8)).inserted }
    }

    func flag(_ name: String) throws(OAuthError) -> Bool {
        guard let value = self[name] else { return false }
        guard let flag = value.bool else { throw refused("\(name) must be true or false") }
        return flag
    }

    func seconds(_ name: String) throws(OAuthError) -> Int? {
        guard let value = self[name] else { return nil }
        guard let seconds = value.integer, (0...315_360_000).contains(seconds) else {
            throw refused("\(name) must be a whole number of seconds, up to ten years")
        }
        return seconds
    }

    /// One of these words.
    func word(_ name: String, of words: [String]) throws(OAuthError) -> String? {
        guard let value = self[name] else { return nil }
        guard let word = value.string, words.contains(where: { $0.utf8.elementsEqual(word.utf8) }) else {
            throw refused("\(name) must be " + (words.isEmpty ? "absent" : "one of \(words.joined(separator: ", "))"))
        }
        return word
    }

    /// A page for people: https, so no script and no data. `orLoopback`: or plain http on this machine, for
    /// development, as redirect URIs may be.
    func page(_ name: String, orLoopback: Bool = false) throws(OAuthError) -> String? {
        guard let text = try string(name, longest: 2_000) else { return nil }
        guard let uri = try? StrictURI(text), uri.host != nil,
            uri.scheme == "https" || orLoopback && uri.scheme == "http" && uri.isLoopback
        else {
            throw refused("\(name) must be an https URL")
        }
        return text
    }

    func refused(_ description: String) -> OAuthError { OAuthError(.invalidClientMetadata, description) }
}
