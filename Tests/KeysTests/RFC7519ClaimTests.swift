import Base
import Foundation
import Testing

@testable import Keys

@Suite("RFC 7519 claims")
struct RFC7519ClaimTests {
    private func jwt(_ claims: String, header: String = #"{"alg":"ES256"}"#) throws -> JWT {
        try JWT(Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8) + ".AAAA")
    }

    @Test("NumericDate is a number, or digits in a string when lenient", arguments: [
        ("1300819380", 1_300_819_380, 1_300_819_380), ("1300819380.9", 1_300_819_380, 1_300_819_380), ("1.3e9", 1_300_000_000, 1_300_000_000),
        (#""1300819380""#, nil, 1_300_819_380), (#""1300819380.5""#, nil, 1_300_819_380), (#""0x10""#, nil, nil), (#""nan""#, nil, nil),
        (#"" 1""#, nil, nil), (#""""#, nil, nil), ("true", nil, nil), ("null", nil, nil), ("[1]", nil, nil), (#""-1""#, nil, nil),
    ] as [(String, Int?, Int?)])
    func dates(_ text: String, _ strict: Int?, _ lenient: Int?) throws {
        let jwt = try jwt(#"{"exp":\#(text)}"#)

        #expect(jwt.date("exp")?.numericDate == strict)
        #expect(jwt.date("exp", lenient: true)?.numericDate == lenient)
        #expect(jwt.date("nbf") == nil)
    }

    @Test("a date out of all bounds is the bound, so that it can be compared and converted", arguments: [
        ("1e300", 253_402_300_799), ("9223372036854775807", 253_402_300_799), ("-1", 0), ("-1e300", 0), (#""999999999999999""#, 253_402_300_799),
    ])
    func bounds(_ text: String, _ seconds: Int) throws {
        #expect(try jwt(#"{"exp":\#(text)}"#).date("exp", lenient: true)?.numericDate == seconds)
    }

    @Test("nbf is a number that has come, give or take a minute; whatever else stands there has not", arguments: [
        (nil, true, true), ("1800000060", true, true), ("1800000060.5", false, false), ("1800000061", false, false), ("0", true, true), ("-1", true, true),
        ("1e300", false, false), (#""1800000000""#, false, true), (#""soon""#, false, false), ("null", false, false), ("true", false, false), ("[]", false, false),
    ] as [(String?, Bool, Bool)])
    func notBefore(_ text: String?, _ strict: Bool, _ lenient: Bool) throws {
        let jwt = try jwt(text.map { #"{"nbf":\#($0)}"# } ?? "{}"), now = Date(numericDate: 1_800_000_000)

        #expect(jwt.hasBegun(at: now) == strict)
        #expect(jwt.hasBegun(at: now, lenient: true) == lenient)
    }

    @Test("aud is a string or an array of strings", arguments: [
        (#""a""#, ["a"]), (#"["a"]"#, ["a"]), (#"["a","b"]"#, ["a", "b"]), ("[]", []), (#"["a",1]"#, []), ("1", []), ("null", []), (#"{"a":"a"}"#, []),
    ])
    func audiences(_ text: String, _ expected: [String]) throws {
        #expect(try jwt(#"{"aud":\#(text)}"#).audiences == expected)
    }

    @Test("typ compares without case and without application/", arguments: [
        ("JWT", "jwt"), ("application/DPoP+jwt", "dpop+jwt"), ("client-authentication+jwt", "client-authentication+jwt"),
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
