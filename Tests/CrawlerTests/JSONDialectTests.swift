import Base
import Testing
import Vocabulary

@testable import Crawler

@Suite("RSD2 in JSON, and the lists before it")
struct JSONDialectTests {
    private func document(
        _ apis: String, engine: String = "https://site.example/", home: String? = "https://site.example/"
    ) -> String {
        "{\"engineName\":\"Engine\",\"engineLink\":\"\(engine)\"," + (home.map { "\"homePageLink\":\"\($0)\"," } ?? "")
            + "\"apis\":\(apis)}"
    }

    @Test(
        "links are joined by concatenation",
        arguments: [
            ("api/", "service", "https://site.example", "https://site.example/service/api/"),
            ("oauth2", "eduid/", "https://site.example/", "https://site.example/eduid/oauth2"),
            (
                "/oauth2", "https://site.example/deep/engine/", "https://site.example/",
                "https://site.example/deep/engine/oauth2"
            ),
            (
                "https://auth.example/token", "https://site.example/e/", "https://site.example/",
                "https://auth.example/token"
            ),
            ("oauth2/", "", nil, "https://site.example/base/oauth2/"), ("o", "", "../up/", "https://site.example/up/o"),
            ("//cdn.example/o", "", nil, "https://cdn.example/o"), ("a b", "", nil, "https://site.example/base/a%20b"),
        ])
    func joined(link: String, engine: String, home: String?, expected: String) throws {
        #expect(
            try Documents.links(document("{\"a.b\":{\"apiLink\":\"\(link)\"}}", engine: engine, home: home)) == [
                "a.b": expected
            ])
    }

    @Test("a service wrapper, an array of objects and an empty array are read")
    func shapes() throws {
        let inner = document(
            "[{\"name\":\"a.b\",\"apiLink\":\"b\"},{\"name\":\"a.c\",\"apiLink\":\"https://x.example/c\"}]")

        #expect(
            try Documents.links("{\"service\":\(inner)}") == [
                "a.b": "https://site.example/b", "a.c": "https://x.example/c",
            ])
        #expect(try Documents.read(document("[]")).warningNames == ["no_apis"])
        #expect(
            try Documents.read(document("{\"a.b\":{\"apiLink\":\"b\"},\"a.c\":\"c\"}")).warningNames == ["bad_link"])
    }

    @Test("Moodle's list: apis without apiLink stand at the engine's link, transports in lower case")
    func moodle() throws {
        let read = try Documents.read(
            document(
                """
                {"org.moodle.moodle_mobile_app":{"apiVersion":"2.9.4+ (Build: \
                20160225)","transport":["rest","soap"]},"org.ietf.oauth2":{"apiLink":"auth/cb.php"}}
                """, engine: "", home: "https://site.example/moodle/"))
        let app = try #require(read.document.apis.first)

        #expect(
            app.link == "https://site.example/moodle/" && app.transport == ["REST", "SOAP"]
                && app.version == "2.9.4+ (Build: 20160225)")
        #expect(read.document.apis.last?.link == "https://site.example/moodle/auth/cb.php")
        #expect(read.document.api(named: "org.moodle.mobile") != nil)
        #expect(read.warningNames == ["no_api_link"])
    }

    @Test("PowerTLA: engine.servicelink and link")
    func powerTLA() throws {
        #expect(
            try Documents.links(
                """
                {"engine":{"version":"0.7","servicelink":"https://site.example/rest.php/"},"name":"TLA","apis":[{"na\
                me":"gov.adlnet.xapi","link":"lrs/"}]}
                """) == ["gov.adlnet.xapi": "https://site.example/rest.php/lrs/"])
    }

    @Test("preferred as words, transports in any case, ids as numbers, no engineName")
    func members() throws {
        let read = try Documents.read(
            """
            {"engineId":5,"apis":{"a.b":{"apiLink":"b","preferred":"Yes","transport":["web-form","Xml-Rpc","own"],"e\
            ngineId":9},"a.c":{"apiLink":"c","preferred":"No"}}}
            """)

        #expect(read.document.engineName == "Index name" && read.document.engineID == "5")
        #expect(read.document.apis.map(\.preferred) == [true, false])
        #expect(
            read.document.apis[0].transport == ["Web-Form", "XML-RPC", "own"] && read.document.apis[0].engineID == "9")
    }

    @Test("authorization is never kept, wherever it stands")
    func authorization() throws {
        let text = try Documents.read(
            """
            {"authorization":{"access_token":"leak"},"apis":{"a.b":{"apiLink":"b","authorization":{"x":"leak"},"sett\
            ings":{"authorization":"leak","deep":[{"Authorization":"leak"}],"k":1}}}}
            """
        ).document.json.text

        #expect(!text.contains("leak") && !text.lowercased().contains("authorization"))
        #expect(text.contains("\"k\":1"))
    }

    @Test("bad links and names cost their apis only")
    func bad() throws {
        let read = try Documents.read(
            document(
                """
                {"a.a":{"apiLink":"a"},"a.b":{"apiLink":"javascript://x/%0aalert(1)"},"a.c":{"apiLink":"file:///etc/\
                passwd"},"a.d":{"apiLink":"https://u:p@x.example/"},
                "":{"apiLink":"e"},"a\\u0001":{"apiLink":"f"}}
                """))

        #expect(read.protocols == ["a.a"])
        #expect(read.warningNames == ["bad_link", "bad_name"])
    }

    @Test("an engineLink or homePageLink that nobody should follow is not shown, and nothing is joined to it")
    func hostileEngine() throws {
        let read = try Documents.read(
            document(
                "{\"a.b\":{\"apiLink\":\"b\"},\"a.c\":{\"apiLink\":\"https://x.example/\"}}", engine: "javascript://x/",
                home: "data://y"))

        #expect(read.protocols == ["a.c"])
        #expect(read.document.engineLink == Documents.base && read.document.homePageLink == Documents.base)
    }

    @Test(
        "a BOM and leading blanks are the only liberties",
        arguments: [
            ("{\"apis\":{\"a.b\":{\"apiLink\":\"o\"}}", CrawlReason.malformed), ("{\"apis\":{}} trailing", .malformed),
            ("{\"error\":\"login\"}", .notRSD), ("[1]", .notRSD),
            ("{\"apis\":\"x\"}", .notRSD), ("{\"apis\":{\"a\\u0000\":{}}}", .encoding),
        ])
    func strict(text: String, reason: CrawlReason) throws {
        #expect(Documents.refusal(text) == reason)
        #expect(
            try Documents.read([0xEF, 0xBB, 0xBF, 0x0D, 0x0A, 0x20] + Array(document("{}").utf8)).warningNames == [
                "no_apis"
            ])
    }

    @Test("JSON that is not UTF-8 is refused, whatever the charset says")
    func notUTF8() {
        let latin1 = "{\"engineName\":\"Z\u{FC}rich\",\"apis\":{}}".unicodeScalars.map { UInt8($0.value) }
        let utf16: [UInt8] = [0xFF, 0xFE] + "{\"apis\":{}}".utf16.flatMap { [UInt8($0), 0] }

        #expect(Documents.refusal(latin1, charset: "iso-8859-1") == .encoding)
        #expect(Documents.refusal(utf16) == .encoding)
    }
}
