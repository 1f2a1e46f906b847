/// What is wrong and what to do, in a sentence for whoever runs the service.
extension CrawlReason {
    public var advice: String {
        switch self {
        case .notRSD:
            """
            What came is no RSD document: publish RSD2 as JSON or XML at the announced URL, without a login page in \
            front of it.
            """
        case .malformed:
            """
            The document is broken beyond repair: check it with a JSON or XML parser, and see that the server sends \
            all of it.
            """
        case .encoding:
            """
            The document's character encoding cannot be read: send UTF-8 and say so, and compress with gzip or not \
            at all.
            """
        case .doctype: "The document has a DOCTYPE, which is refused for safety: remove it; RSD needs none."
        case .limits:
            """
            The document is too deep, too long or lists too many APIs: at most 200 APIs, 32 levels and 8 KiB for a \
            string are read.
            """
        case .scheme:
            """
            A URL or redirect is neither http nor https, has user information, or leads from https back to http: use \
            https throughout.
            """
        case .port:
            """
            The URL names a port that is not asked: serve the document at port 80, 443, or one from 1024 on that is \
            not a database's.
            """
        case .address:
            """
            The host's name leads to an address that is not public: correct its DNS, or ask the operator of the \
            federation to admit the range.
            """
        case .redirects:
            "The URL redirects in a circle or more than five times: let it answer, or register the final URL."
        case .tooLarge: "The answer is too large: at most 1 MiB is read, as sent and decoded, and 32 KiB of headers."
        case .dns:
            "The host's name cannot be resolved: check that it is spelled right and has a public A or AAAA record."
        case .tls:
            """
            The TLS connection failed: check that the certificate is valid now, names this host, and comes with its \
            whole chain.
            """
        case .unreachable:
            """
            No connection could be made, or it broke off: check that the server runs and that its firewall admits \
            this one.
            """
        case .timeout:
            """
            The server was too slow: it has 3 seconds to accept a connection and 10 to answer; serve the document as \
            a static file.
            """
        case .httpStatus:
            """
            The server answered with an error: the document must be there for everybody, without login, with status \
            200.
            """
        case .notFound:
            """
            No document was found: link to it from the base URL with rel=\"ServiceAPI\", or name it in \
            /services.txt, or register its URL.
            """
        case .suspended: "The federation has suspended this service, so it is not read: ask its operator why."
        }
    }
}

extension CrawlWarning {
    var advice: String {
        switch self {
        case .leadingBytes:
            "There are blanks or other bytes before the document: let it begin with <?xml or its root element."
        case .trailingBytes:
            "There is something after the end of the document: remove it, e.g. a script's output or a tracking snippet."
        case .truncated:
            "The document breaks off and its last API may be lost: send it whole, with a right Content-Length."
        case .bareAmpersand: "An & stands alone, as in a query string: write &amp; in XML."
        case .encoding: "The document is not in the encoding that it declares: send UTF-8 and declare it."
        case .mixedBinding:
            """
            Some APIs are written as attributes and some as elements: use one of both; those in the other way were \
            dropped.
            """
        case .severalPreferred: "More than one API is preferred: only the first was kept so."
        case .duplicateAPI: "A name occurs more than once: only the first API of that name was kept."
        case .noAPIs: "The document lists no API, so nobody will find the service by a protocol: add what it offers."
        case .noAPILink: "An API has no apiLink, so it was taken to be at the engineLink: name its own link."
        case .badLink:
            """
            An API was dropped for its link: write an absolute http or https URL without user information, of 2,048 \
            characters at most.
            """
        case .foreignEndpoint:
            "An OAuth endpoint is not below the base URL, so BASE/token is used: name one below it, without a query."
        case .hiddenFromApps:
            """
            Apps will not see this service, as its document does not list org.ietf.oauth2: add that, unless it is for \
            web browsers alone.
            """
        case .badName: "An API was dropped for its name: use 1 to 200 characters without control characters."
        }
    }
}
