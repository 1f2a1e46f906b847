import Foundation
import Harness

@testable import Crawler

/// `BodyEncoding`, `BodyKind`, `Markup`: everything between the body and a parser. Beside it: Foundation's decoders.
enum EncodingTarget {
    static let target = Target("encoding", run: run)

    private static func run(_ input: [UInt8]) {
        for charset in [nil, "utf-8", "UTF-16", "us-ascii", "iso-8859-1", "ISO-8859-15", "windows-1252", "koi8-r"] {
            decode(input, charset)
        }
        let page = BodyEncoding.page(input, charset: nil)
        require(String(validating: page, as: UTF8.self) != nil && !page.contains(0), "a page is UTF-8 without NUL")
        tiles(page)
        compare(input)
    }

    private static func decode(_ input: [UInt8], _ charset: String?) {
        guard let (text, guessed) = try? BodyEncoding.decoded(input, charset: charset) else { return }
        require(String(validating: text, as: UTF8.self) != nil && !text.contains(0), "a text is UTF-8 without NUL")
        require(text.count <= input.count * 3, "nothing grows beyond three bytes for one")
        let isUTF8 = String(validating: input, as: UTF8.self) != nil
        require(!(guessed && isUTF8), "UTF-8 needs no guess")
        if isUTF8, charset == "utf-8" {
            require(
                text == (input.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(input.dropFirst(3)) : input),
                "UTF-8 stays as it is")
        }
        // What was decoded is of the same kind whoever reads it again, and reading it again as UTF-8 changes nothing
        // but a second mark.
        guard !text.starts(with: [0xEF, 0xBB, 0xBF]), let again = try? BodyEncoding.decoded(text, charset: "utf-8")
        else { return }
        require(again.utf8 == text && !again.guessed, "what was decoded is decoded")
        tiles(text)
    }

    /// Pieces lie side by side and leave nothing out; a kind names a place in the text.
    private static func tiles(_ text: [UInt8]) {
        var end = 0
        for piece in Markup(text) {
            require(piece.range.lowerBound == end && !piece.range.isEmpty, "a piece begins where the last one ended")
            end = piece.range.upperBound
            if piece.kind == .cut { require(end == text.count, "what is cut is the last") }
        }
        require(end == text.count, "the pieces are the text")
        if case .xml(let start) = BodyKind(text) {
            require(
                start < min(text.count, ReadingLimits.prologBytes) && text[start] == UInt8(ascii: "<"),
                "XML begins with a bracket, early")
        }
    }

    private static func compare(_ input: [UInt8]) {
        if BodyEncoding.startsWithUTF16Mark(input) {
            guard let (text, guessed) = try? BodyEncoding.decoded(input, charset: nil), !guessed,
                let theirs = String(data: Data(input), encoding: .utf16)
            else { return }
            return require(theirs.utf8.elementsEqual(text), "Foundation reads the same UTF-16")
        }
        guard !input.starts(with: [0xEF, 0xBB, 0xBF]),
            let (text, guessed) = try? BodyEncoding.decoded(input, charset: "iso-8859-1")
        else { return }
        require(
            !guessed && text.elementsEqual(input.flatMap { byte in Array(String(Unicode.Scalar(byte)).utf8) }),
            "Latin-1 is the first 256 of Unicode")
    }
}
