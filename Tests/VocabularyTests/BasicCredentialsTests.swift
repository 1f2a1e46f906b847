import Foundation
import Testing
import Vocabulary

@Suite("RFC 6749, 2.3.1: client credentials in a Basic header")
struct BasicCredentialsTests {
    private func read(_ pair: String) throws -> BasicCredentials {
        try BasicCredentials(Data(pair.utf8).base64EncodedString())
    }

    @Test(
        "the examples of RFC 6749, 2.3.1, and RFC 7617, 2 and 2.1",
        arguments: [
            ("czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3", "s6BhdRkqt3", "7Fjfp0ZBr1KtDRbnfVdmIw"),
            ("QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin", "open sesame"), ("dGVzdDoxMjPCow==", "test", "123£"),
        ])
    func examples(_ value: String, _ id: String, _ secret: String) throws {
        let credentials = try BasicCredentials(value)

        #expect(credentials.id == id && credentials.secret == secret)
    }

    @Test(
        "both halves are form-encoded, and part at the first colon",
        arguments: [
            ("a%3Ab:c%3Ad", "a:b", "c:d"), ("a:b:c", "a", "b:c"), ("a+b:c%2B+d", "a b", "c+ d"), ("%C3%A9:€", "é", "€"),
            ("a:", "a", ""), ("a&b=c:d&e=f", "a&b=c", "d&e=f"),
            ("id:\u{301}secret", "id", "\u{301}secret"),
        ])
    func halves(_ pair: String, _ id: String, _ secret: String) throws {
        let credentials = try read(pair)

        #expect(credentials.id.utf8.elementsEqual(id.utf8) && credentials.secret.utf8.elementsEqual(secret.utf8))
    }

    @Test("what is no base64", arguments: ["", "a", "YTpi?", "YTpiYw", "YTpi\u{301}"])
    func notBase64(_ value: String) {
        #expect(throws: value.isEmpty ? BasicCredentials.Malformed.noColon : .notBase64) { try BasicCredentials(value) }
    }

    @Test(
        "what is no pair",
        arguments: [
            ("abc", .noColon), (":secret", .noID), ("a:100%", .notEncoded), ("a%4:b", .notEncoded),
            ("a:%zz", .notEncoded), ("a:%FF", .notEncoded), ("a:%A9", .notEncoded), ("a\0:b", .notEncoded),
            ("a:b%00", .notEncoded),
        ] as [(String, BasicCredentials.Malformed)])
    func refused(_ pair: String, _ reason: BasicCredentials.Malformed) {
        #expect(throws: reason) { try read(pair) }
    }

    @Test("bytes that are not UTF-8 are refused")
    func notText() {
        #expect(throws: BasicCredentials.Malformed.notEncoded) {
            try BasicCredentials(Data([0x61, 0x3A, 0xFF]).base64EncodedString())
        }
    }
}
