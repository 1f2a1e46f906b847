import Base
import Testing

@Suite("RFC 4648 base64url")
struct Base64URLTests {
    /// RFC 4648, 10, without padding; RFC 7515, appendix C.
    private static let vectors: [([UInt8], String)] = [
        ([], ""), (Array("f".utf8), "Zg"), (Array("fo".utf8), "Zm8"), (Array("foo".utf8), "Zm9v"),
        (Array("foob".utf8), "Zm9vYg"), (Array("fooba".utf8), "Zm9vYmE"),
        (Array("foobar".utf8), "Zm9vYmFy"), ([3, 236, 255, 224, 193], "A-z_4ME"),
    ]

    @Test("the printed vectors, both ways", arguments: vectors)
    func printed(_ bytes: [UInt8], _ text: String) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test("every byte, in every place of a group", arguments: 0..<4)
    func bytes(_ prefix: Int) {
        for byte in UInt8.min ... .max {
            let value = [UInt8](repeating: 0x5A, count: prefix) + [byte]
            #expect(Base64URL.decode(Base64URL.encode(value)) == value)
        }
    }

    @Test(
        "padding, the other alphabet, blanks, impossible lengths and stray bits are refused",
        arguments: [
            "Zg==", "Zm8=", "Zm9v=", "A+z/4ME", "Zm 9v", "Zm9v\n", " Zm9v", "Z", "Zm9vY", "Zh", "Zm9", "Zm9vYmF", "Zé8",
            "Zm9v.", "Zm\09v", "Zg=",
        ])
    func refused(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
