import Foundation

/// One of the sites to crawl, by its number: where it lives, how its document is found and written, and what is wrong
/// with it. All is worked out from the number.
struct BenchSite: Sendable {
    enum Way: Int, CaseIterable { case registered, linkHeader, html, servicesText, fallback }
    enum Dialect: Int, CaseIterable { case json, list, older, flat, first }
    enum Trouble: Int, CaseIterable { case refused, silent, dripping, gzipBomb, endless, loop, xmlBomb }

    enum Reply: Sendable {
        case whole(String)
        case bytes(String, [UInt8])
        /// Nothing, for longer than anybody waits.
        case silent
        /// A byte now and then.
        case dripping(String)
        /// The same, for ever.
        case endless(String)
    }

    static let document = "/service-document"

    let number: Int

    var trouble: Trouble? { number % 20 == 19 ? Trouble(rawValue: number / 20 % Trouble.allCases.count) : nil }
    var way: Way { Way(rawValue: (number + number / 20) % Way.allCases.count) ?? .html }
    private var dialect: Dialect { Dialect(rawValue: number / Way.allCases.count % Dialect.allCases.count) ?? .json }
    private var tag: String? { number / 3 % 2 == 0 ? "\"bench-\(number)\"" : nil }

    /// All of 127/8 is this machine's, without set-up.
    var host: String { "127.\(1 + number / 62_500).\(number / 250 % 250 + 1).\(number % 250 + 1)" }

    /// The site that lives at `host`.
    init?(host: Substring) {
        let parts = host.split(separator: ".").compactMap { Int($0) }
        guard parts.count == 4, parts[0] == 127, (1...250).contains(parts[2]), (1...250).contains(parts[3]),
            parts[1] >= 1
        else { return nil }
        number = (parts[1] - 1) * 62_500 + (parts[2] - 1) * 250 + parts[3] - 1
    }

    init(number: Int) { self.number = number }

    // MARK: Answers

    func reply(to path: Substring, ifNoneMatch: Substring?, at origin: String) -> Reply {
        if let trouble { return BenchSite.bad(trouble, path) }
        let type = dialect == .flat || dialect == .first ? "application/rsd+xml" : "application/x-rsd+json"
        if path == (way == .fallback ? "/rsd" : BenchSite.document) {
            let header = tag.map { "ETag: \($0)\r\n" } ?? ""
            if let tag, let ifNoneMatch, ifNoneMatch == tag {
                return .whole(BenchSite.answer("304 Not Modified", header))
            }
            return .whole(BenchSite.answer("200 OK", header + "Content-Type: \(type)\r\n", text(origin)))
        }
        switch (String(path), way) {
        case ("/", .linkHeader):
            return .whole(
                BenchSite.answer(
                    "200 OK",
                    "Content-Type: text/html\r\nLink: <\(BenchSite.document)>; rel=\"EditURI\"; type=\"\(type)\"\r\n",
                    page("")))
        case ("/", .html):
            return .whole(
                BenchSite.answer(
                    "200 OK", "Content-Type: text/html\r\n",
                    page("<link rel=\"EditURI\" type=\"\(type)\" href=\"\(BenchSite.document)\">")))
        case ("/", _):
            return .whole(BenchSite.answer("200 OK", "Content-Type: text/html\r\n", page("")))
        case ("/services.txt", .servicesText):
            return .whole(
                BenchSite.answer(
                    "200 OK", "Content-Type: text/plain\r\n", "# services\n\(type); \(BenchSite.document)\n"))
        default:
            return .whole(BenchSite.answer("404 Not Found", "", "none"))
        }
    }

    static func answer(_ status: String, _ headers: String, _ body: String = "") -> String {
        "HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    private static func bad(_ trouble: Trouble, _ path: Substring) -> Reply {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"
        switch trouble {
        case .refused, .silent: return .silent
        case .dripping: return .dripping(head + "\r\n<html>")
        case .gzipBomb: return .bytes(head + "Content-Encoding: gzip\r\n\r\n", BenchBomb.gzip)
        case .endless: return .endless(head + "\r\n<html>")
        case .loop: return .whole(answer("302 Found", "Location: \(path == "/loop" ? "/" : "/loop")\r\n"))
        case .xmlBomb: return .whole(answer("200 OK", "Content-Type: application/rsd+xml\r\n", BenchBomb.xml))
        }
    }

    // MARK: Documents

    private func page(_ link: String) -> String {
        """
        <!doctype html><html><head><title>Site \(number)</title>\(link)</head><body>\
        <p>\(String(repeating: "A page as pages are. ", count: 20))</p></body></html>
        """
    }

    private var names: [String] {
        [
            "org.ietf.oauth2", "org.bench.p\(number % 97)", "org.bench.p\(100 + number % 89)", "com.example.chat",
            "net.example.files",
        ]
    }

    private func text(_ origin: String) -> String {
        let links = names.map { (name: $0, link: origin + "/" + $0) }
        switch dialect {
        case .json:
            let apis = links.map {
                "\"\($0.name)\": {\"apiLink\": \"\($0.link)\", \"apiVersion\": \"1.0\", \"transport\": [\"REST\"]}"
            }
            return
                """
                {\"engineName\": \"Site \(number)\", \"engineLink\": \"\(origin)\", \"homePageLink\": \"\(origin)\", \
                \"apis\": {\(apis.joined(separator: ", "))}}
                """
        case .list:
            let apis = links.map { "{\"name\": \"\($0.name)\", \"apiLink\": \"\($0.link)\", \"apiVersion\": \"1.0\"}" }
            return
                """
                {\"engineName\": \"Site \(number)\", \"engineLink\": \"\(origin)\", \"homePageLink\": \"\(origin)\", \
                \"apis\": [\(apis.joined(separator: ", "))]}
                """
        case .older:
            let apis = links.map { "{\"name\": \"\($0.name)\", \"link\": \"\($0.link)\"}" }
            return
                """
                {\"engine\": {\"servicelink\": \"\(origin)\"}, \"engineName\": \"Site \(number)\", \"apis\": \
                [\(apis.joined(separator: ", "))]}
                """
        case .flat:
            return xml("version=\"2.0\"", links.map { "<api name=\"\($0.name)\" apiLink=\"\($0.link)\"/>" }, origin)
        case .first:
            let apis = links.map {
                "<api name=\"\($0.name)\" preferred=\"false\" apiLink=\"\($0.link)\" blogID=\"1\"/>"
            }
            return xml("version=\"1.0\" xmlns=\"http://archipelago.phrasewise.com/rsd\"", apis, origin)
        }
    }

    private func xml(_ attributes: String, _ apis: [String], _ origin: String) -> String {
        """
        <?xml version=\"1.0\" encoding=\"UTF-8\"?><rsd \(attributes)><service><engineName>Site \
        \(number)</engineName><engineLink>\(origin)</engineLink>
        """
            + "<homePageLink>\(origin)</homePageLink><apis>\(apis.joined())</apis></service></rsd>"
    }
}

/// Small things that grow in the hands of those who read them.
enum BenchBomb {
    /// RFC 1952 around RFC 1951: one zero, and 258 times the byte before it, over and over, in fixed Huffman codes: 64
    /// MiB of zeros in 400 KiB.
    static let gzip: [UInt8] = {
        var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255], bit: UInt8 = 0, byte: UInt8 = 0
        func write(_ bits: [UInt8]) {
            for one in bits {
                byte |= one << bit
                bit += 1
                if bit == 8 {
                    bytes.append(byte)
                    (bit, byte) = (0, 0)
                }
            }
        }
        // The last block, of fixed codes; the literal 0.
        write([1, 1, 0])
        write([0, 0, 1, 1, 0, 0, 0, 0])
        // Length 258 (code 285), distance 1 (code 0).
        for _ in 0..<260_000 { write([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]) }
        // End of block, to the end of a byte, and a checksum that nobody gets to.
        write([UInt8](repeating: 0, count: 16))
        return bytes + [UInt8](repeating: 0, count: 8)
    }()

    /// Each entity is ten of the one before.
    static let xml: String = {
        let entities = (1...12).map { "<!ENTITY e\($0) \"\(String(repeating: "&e\($0 - 1);", count: 10))\">" }.joined()
        return "<?xml version=\"1.0\"?><!DOCTYPE rsd [<!ENTITY e0 \"boom\">\(entities)]><rsd version=\"1.0\"><service>"
            + "<engineName>&e12;</engineName><apis/></service></rsd>"
    }()
}
