import Base
import Testing
import Vocabulary

@Suite("RSD2 documents")
struct ServiceDocumentTests {
    private let document = ServiceDocument(
        engineName: "Campus <&> \"Co\"", engineLink: "https://x.example/e/", homePageLink: "https://x.example/",
        engineID: "7",
        apis: [
            ServiceAPI(
                name: "org.ietf.oauth2", link: "https://x.example/oauth2", version: ["2.0", "2.1"], preferred: true,
                transport: ["REST"],
                notes: "a\nb", settings: ["scope": "a&b", "depth": 3]),
            ServiceAPI(name: "MetaWeblog", link: "https://x.example/rpc?a=1&b=2", preferred: false),
        ])

    @Test("JSON has the links, and well-known names a second time under the mapped one")
    func json() {
        let apis = document.json["apis"]

        #expect(document.json["engineName"] == "Campus <&> \"Co\"")
        #expect(document.json["engineId"] == "7")
        #expect(apis?.object?.names == ["org.ietf.oauth2", "MetaWeblog", "com.xmlrpc.metaweblog"])
        #expect(apis?["com.xmlrpc.metaweblog"]?["apiLink"] == "https://x.example/rpc?a=1&b=2")
        #expect(apis?["org.ietf.oauth2"]?["preferred"] == true)
        #expect(apis?["MetaWeblog"]?["preferred"] == nil)
        #expect(apis?["org.ietf.oauth2"]?["settings"]?["depth"] == 3)
    }

    @Test("a mapped name is not added when the document uses it itself")
    func ownName() {
        let own = ServiceDocument(
            engineName: "x", engineLink: "https://x/", homePageLink: "https://x/",
            apis: [
                ServiceAPI(name: "Atom", link: "https://x/1"),
                ServiceAPI(name: "org.ietf.atompub", link: "https://x/2"),
            ])

        #expect(own.offeredAPIs.map(\.name) == ["Atom", "org.ietf.atompub"])
        #expect(own.api(named: "org.ietf.atompub")?.link == "https://x/2")
    }

    @Test("what was written as JSON reads back, and reads the same a second time")
    func roundTrip() throws {
        let back = try #require(ServiceDocument(json: document.json))

        #expect(back.json == document.json)
        #expect(ServiceDocument(json: ["engineName": "x"]) == nil)
    }

    @Test("XML is the hierarchical binding, escaped, without characters that XML cannot carry")
    func xml() {
        let odd = ServiceDocument(
            engineName: "a\u{1}<b>", engineLink: "https://x/", homePageLink: "https://x/", apis: [])

        #expect(
            document.xml.hasPrefix(
                """
                <?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rsd version=\"2.0\" \
                xmlns=\"http://github.com/rsd-spec/rsd\">
                """
            ))
        #expect(document.xml.contains("<engineName>Campus &lt;&amp;&gt; &quot;Co&quot;</engineName>"))
        #expect(document.xml.contains("<apiLink>https://x.example/rpc?a=1&amp;b=2</apiLink>"))
        #expect(document.xml.contains("<apiVersion>2.0</apiVersion>\n<apiVersion>2.1</apiVersion>"))
        #expect(document.xml.contains("<setting name=\"depth\">3</setting>"))
        #expect(odd.xml.contains("<engineName>a&lt;b&gt;</engineName>"))
    }

    @Test("an endpoint is an api of its own name, else below the api's link")
    func endpoint() {
        let own = ServiceDocument(
            engineName: "x", engineLink: "https://x/", homePageLink: "https://x/",
            apis: [
                ServiceAPI(name: "org.ietf.oauth2", link: "https://x/o/"),
                ServiceAPI(name: "org.ietf.oauth2.revoke", link: "https://x/r"),
            ])

        #expect(document.endpoint(protocol: "org.ietf.oauth2", "token") == "https://x.example/oauth2/token")
        #expect(own.endpoint(protocol: "org.ietf.oauth2", "/token") == "https://x/o/token")
        #expect(own.endpoint(protocol: "org.ietf.oauth2", "revoke") == "https://x/r")
        #expect(own.endpoint(protocol: "gov.adlnet.xapi", "token") == nil)
    }
}
