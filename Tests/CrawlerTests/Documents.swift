import Testing
import Vocabulary

@testable import Crawler

/// Documents in the shapes that publishers write, and reading them as if they came from
/// `https://site.example/docs/rsd`.
enum Documents {
    static let base = "https://site.example/base/", url = "https://site.example/docs/rsd"

    static func read(_ text: String, charset: String? = nil) throws -> ReadDocument {
        try read(Array(text.utf8), charset: charset)
    }

    static func read(_ body: [UInt8], charset: String? = nil) throws -> ReadDocument {
        try DocumentReader(base: base, indexName: "Index name").read(body, charset: charset, url: WebURL(url))
    }

    static func refusal(_ body: [UInt8], charset: String? = nil) -> CrawlReason? {
        do {
            _ = try read(body, charset: charset)
            return nil
        } catch let failure as CrawlFailure {
            return failure.reason
        } catch {
            Issue.record(error)
            return nil
        }
    }

    static func refusal(_ text: String) -> CrawlReason? { refusal(Array(text.utf8)) }

    static func links(_ text: String) throws -> [String: String] {
        Dictionary(uniqueKeysWithValues: try read(text).document.apis.map { ($0.name, $0.link) })
    }

    static func rsd2(
        _ apis: String, namespace: String = " xmlns=\"http://github.com/rsd-spec/rsd\"", service: String = campus
    ) -> String {
        """
        <?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rsd \
        version=\"2.0\"\(namespace)><service>\(service)<apis>\(apis)</apis></service></rsd>\n
        """
    }

    static let campus =
        """
        <engineName>Campus</engineName><engineLink>https://site.example/campus/ \
        </engineLink><homePageLink>https://site.example/</homePageLink>
        """

    static func rsd1(
        _ apis: String, version: String = "1.0", home: String = "<homePageLink>https://site.example/</homePageLink>"
    ) -> String {
        """
        <?xml version=\"1.0\" encoding=\"UTF-8\"?><rsd version=\"\(version)\" \
        xmlns=\"http://archipelago.phrasewise.com/rsd\">
        """
            + """
            <service><engineName>Weblog</engineName><engineLink>http://engine.example/</engineLink>\(home)<apis\
            >\(apis)</apis></service></rsd>
            """
    }

    static let weblog =
        "<api name=\"MetaWeblog\" blogID=\"1\" preferred=\"true\" apiLink=\"https://site.example/xmlrpc\" />"
}

extension ReadDocument {
    var warningNames: [String] { warnings.map(\.rawValue) }
}
