import Testing
import Vocabulary

@Suite("Protocol names")
struct ProtocolNameTests {
    @Test(
        "dotted names are exact, dotless ones folded",
        arguments: [
            ("org.ietf.oauth2", "org.ietf.oauth2"), ("ORG.IETF.OAUTH2", "ORG.IETF.OAUTH2"),
            ("org.moodle.my-app", "org.moodle.my-app"),
            ("Movable Type", "movabletype"), ("MovableType", "movabletype"), ("metaWeblog", "metaweblog"),
            ("WP-API", "wpapi"), ("wp_api", "wpapi"),
        ])
    func folded(name: String, expected: String) {
        #expect(ProtocolName.folded(name) == expected)
    }

    @Test(
        "well-known names stand for protocols",
        arguments: [
            ("WordPress", "org.wordpress.xmlrpc"), ("WP-API", "org.wordpress.rest"),
            ("Movable Type", "org.movabletype.xmlrpc"),
            ("metaWeblog", "com.xmlrpc.metaweblog"), ("Blogger", "com.blogger.xmlrpc"), ("Atom", "org.ietf.atompub"),
            ("MediaWiki", "org.mediawiki.api"),
            ("Live Journal", "com.livejournal.xmlrpc"), ("Twitter", "com.twitter.rest"),
            ("org.moodle.moodle_mobile_app", "org.moodle.mobile"),
            ("Org.Moodle.moodle_mobile_app", nil), ("Conversant", nil), ("org.ietf.oauth2", nil),
        ])
    func mapped(name: String, expected: String?) {
        #expect(ProtocolName.mapped(name) == expected)
    }

    @Test("offered are the compare forms and the mapped names, each once")
    func offered() {
        #expect(
            ProtocolName.offered(by: ["MetaWeblog", "org.ietf.oauth2"]) == [
                "metaweblog", "org.ietf.oauth2", "com.xmlrpc.metaweblog",
            ])
        #expect(ProtocolName.offered(by: ["Atom", "org.ietf.atompub"]) == ["atom", "org.ietf.atompub"])
        #expect(ProtocolName.offered(by: []) == [])
    }

    @Test(
        "names are trimmed, inner blanks run together; control characters and lengths outside 1 to 200 are refused",
        arguments: [
            ("  Movable   Type ", "Movable Type"), ("", nil), ("   ", nil), ("a\u{1}b", nil), ("a\tb", nil),
            ("a\u{7F}", nil), ("Zürich", "Zürich"),
        ])
    func tidied(name: String, expected: String?) {
        #expect(ProtocolName.tidied(name) == expected)
    }

    @Test("a name may have 200 characters")
    func longest() {
        #expect(ProtocolName.tidied(String(repeating: "a", count: 200)) != nil)
        #expect(ProtocolName.tidied(String(repeating: "a", count: 201)) == nil)
    }
}
