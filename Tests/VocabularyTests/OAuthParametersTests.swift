import Base
import Testing
import Vocabulary

@Suite("Parameters of an OAuth request (RFC 6749, 3.1; RFC 8707, 2)")
struct OAuthParametersTests {
    private func form(_ text: String) throws -> OAuthParameters { try OAuthParameters(form: Array(text.utf8)) }

    @Test("resource alone may come more than once, in its order; empty ones count as absent")
    func resources() throws {
        let read = try form("a=1&resource=x&b=&resource=&resource=y")

        #expect(try read.resources == ["x", "y"] && read["a"] == "1" && read["b"] == nil)
        #expect(try form("resource=x").resources == ["x"] && form("resource=").resources == [])
        #expect(throws: FormCodec.Malformed.duplicate("a")) { try form("a=1&resource=x&a=1") }
        #expect(throws: FormCodec.Malformed.duplicate("Resource")) { try form("Resource=x&Resource=x") }
    }

    @Test("who takes one resource refuses several")
    func one() throws {
        let several = try form("resource=x&resource=y")

        #expect(throws: OAuthError(.invalidTarget, "name one resource here: a token is for one alone", status: 400)) {
            try several["resource"]
        }
        #expect(try form("resource=x")["resource"] == "x" && form("")["resource"] == nil)
    }

    @Test("ten are read, an eleventh is refused")
    func most() throws {
        let ten = (1...10).map { "resource=\($0)" }.joined(separator: "&")

        #expect(try form(ten).resources.count == 10)
        #expect { try form(ten + "&resource=11").resources } throws: { ($0 as? OAuthError)?.code == .invalidTarget }
    }

    @Test(
        "as JSON it is a text or an array of texts",
        arguments: [
            (#"{"resource":"x"}"#, ["x"]), (#"{"resource":["x"]}"#, ["x"]), (#"{"resource":["x","y"]}"#, ["x", "y"]),
            (#"{"resource":null}"#, []), ("{}", []),
        ] as [(String, [String])])
    func json(_ text: String, _ resources: [String]) throws {
        let object = try #require(try JSONReader.read(Array(text.utf8)).object)

        #expect(try OAuthParameters(json: object).resources == resources)
    }

    @Test("what is neither is no text", arguments: ["7", "[]", "[1]", #"["x",1]"#, "{}", "true"])
    func noText(_ value: String) throws {
        let object = try #require(try JSONReader.read(Array("{\"resource\":\(value)}".utf8)).object)

        #expect { try OAuthParameters(json: object).resources } throws: {
            ($0 as? OAuthError)?.code == .invalidRequest
        }
    }

    @Test("an array of texts is no value of any other parameter")
    func otherArrays() throws {
        let object = try #require(try JSONReader.read(Array(#"{"scope":["a","b"]}"#.utf8)).object)

        #expect { try OAuthParameters(json: object)["scope"] } throws: { ($0 as? OAuthError)?.code == .invalidRequest }
    }

    @Test("what is kept as JSON, or sent on as a query, is read back the same; one that is added takes their place")
    func kept() throws {
        let read = try form("a=1&resource=x&resource=y")

        #expect(try OAuthParameters(json: read.json).resources == ["x", "y"])
        #expect(try form(FormCodec.write(read.pairs)).resources == ["x", "y"])
        #expect(try read.adding("a", "2").resources == ["x", "y"] && read.adding("resource", "z").resources == ["z"])
        #expect(try read.without(["resource"]).resources == [] && read.without(["a"]).resources == ["x", "y"])
    }
}
