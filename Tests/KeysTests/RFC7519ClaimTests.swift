import Base
import Foundation
import Testing

@testable import Keys

@Suite("RFC 7519 claims")
struct RFC7519ClaimTests {
    private func jwt(_ claims: String, header: String = #"{"alg":"ES256"}"#) throws -> JWT {
        try JWT(Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8) + ".AAAA")
    }

    @Test(
        "NumericDate is a number",
        arguments: [
            ("1300819380", 1_300_819_380), ("1300819380.9", 1_300_819_380), ("1.3e9", 1_300_000_000),
            (#""1300819380""#, nil), (#""1300819380.5""#, nil), (#""nan""#, nil), (#""""#, nil), ("true", nil),
            ("null", nil), ("[1]", nil),
        ] as [(String, Int?)])
    func dates(_ text: String, _ seconds: Int?) throws {
        let jwt = try jwt(#"{"exp":\#(text)}"#)

        #expect(jwt.date("exp")?.numericDate == seconds)
        #expect(jwt.date("nbf") == nil)
    }

    @Test(
        "a date out of all bounds is the bound, so that it can be compared and converted",
        arguments: [
            ("1e300", 253_402_300_799), ("9223372036854775807", 253_402_300_799), ("-1", 0), ("-1e300", 0),
        ])
    func bounds(_ text: String, _ seconds: Int) throws {
        #expect(try jwt(#"{"exp":\#(text)}"#).date("exp")?.numericDate == seconds)
    }

    @Test(
        "nbf is a number that has come, give or take a minute; whatever else stands there has not",
        arguments: [
            (nil, true), ("1800000060", true), ("1800000060.5", false), ("1800000061", false), ("0", true),
            ("-1", true),
            ("1e300", false), (#""1800000000""#, false), (#""soon""#, false), ("null", false), ("true", false),
            ("[]", false),
        ] as [(String?, Bool)])
    func notBefore(_ text: String?, _ hasBegun: Bool) throws {
        let jwt = try jwt(text.map { #"{"nbf":\#($0)}"# } ?? "{}"), now = Date(numericDate: 1_800_000_000)

        #expect(jwt.hasBegun(at: now) == hasBegun)
    }

    @Test(
        "aud is a string or an array of strings",
        arguments: [
            (#""a""#, ["a"]), (#"["a"]"#, ["a"]), (#"["a","b"]"#, ["a", "b"]), ("[]", []), (#"["a",1]"#, []), ("1", []),
            ("null", []), (#"{"a":"a"}"#, []),
        ])
    func audiences(_ text: String, _ expected: [String]) throws {
        #expect(try jwt(#"{"aud":\#(text)}"#).audiences == expected)
    }

    @Test(
        "typ compares without case and without application/",
        arguments: [
            ("JWT", "jwt"), ("application/DPoP+jwt", "dpop+jwt"),
            ("client-authentication+jwt", "client-authentication+jwt"),
        ])
    func types(_ text: String, _ expected: String) throws {
        #expect(try jwt("{}", header: #"{"alg":"ES256","typ":"\#(text)"}"#).type == expected)
    }

    @Test("header and claims are as they were sent")
    func access() throws {
        let text = Base64URL.encode(#"{"alg":"ES256","kid":"k"}"#.utf8) + ".eyJhIjoxLCJiIjoiYyJ9.AAAA"
        let jwt = try JWT(Substring(text))

        #expect(jwt.kid == "k")
        #expect(jwt.type == nil)
        #expect(jwt["a"] == 1)
        #expect(jwt.string("a") == nil)
        #expect(jwt.string("b") == "c")
        #expect(jwt.compact == text)
    }
}
