import Base
import Foundation
import Harness
import Vocabulary

/// `BasicCredentials`. An input that begins with `Basic ` is a header; any other is the pair before base64. Beside it:
/// Foundation's percent-decoding.
enum BasicTarget {
    static let target = Target("basic", run: run)

    private static func run(_ input: [UInt8]) {
        let scheme = Array("Basic ".utf8)
        guard input.starts(with: scheme) else { return pair(input) }
        let value = String(decoding: input.dropFirst(scheme.count), as: UTF8.self)
        guard let credentials = try? BasicCredentials(value) else { return }
        guard let bytes = Data(base64Encoded: value) else { violated("a header is base64") }
        require(isSame(credentials, expected(Array(bytes))), "a header is its pair")
    }

    private static func pair(_ input: [UInt8]) {
        let credentials = try? BasicCredentials(Data(input).base64EncodedString())
        require(isSame(credentials, expected(input)), "RFC 6749 and RFC 7617 have it so")
        guard let credentials else { return }
        require(
            !credentials.id.isEmpty && !credentials.id.utf8.contains(0) && !credentials.secret.utf8.contains(0),
            "a client has an id, and NUL is no text")
        let again = "\(FormCodec.encode(credentials.id)):\(FormCodec.encode(credentials.secret))"
        guard let read = try? BasicCredentials(Data(again.utf8).base64EncodedString()) else {
            violated("what was written is read")
        }
        require(
            isSpelledAlike(read.id, credentials.id) && isSpelledAlike(read.secret, credentials.secret),
            "what was written is read back the same")
    }

    private static func expected(_ input: [UInt8]) -> (id: String, secret: String)? {
        guard let colon = input.firstIndex(of: UInt8(ascii: ":")), let id = decoded(input[..<colon]),
            let secret = decoded(input[(colon + 1)...]), !id.isEmpty
        else { return nil }
        return (id, secret)
    }

    private static func isSame(_ credentials: BasicCredentials?, _ expected: (id: String, secret: String)?) -> Bool {
        switch (credentials, expected) {
        case (nil, nil): true
        case (let credentials?, let expected?):
            isSpelledAlike(credentials.id, expected.id) && isSpelledAlike(credentials.secret, expected.secret)
        default: false
        }
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        FoundationForm.decoded(bytes).flatMap { $0.utf8.contains(0) ? nil : $0 }
    }
}
