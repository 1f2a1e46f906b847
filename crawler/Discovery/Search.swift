import Base
import Foundation

/// What a search brought home.
struct Found: Sendable {
    enum Body: Sendable {
        /// 304, or the same bytes from the same URL: nothing was read again.
        case same
        case read(ReadDocument)
    }

    let body: Body
    let answer: Answer
    let source: CrawlSource
    /// Seconds, from services.txt.
    let ttl: Int?
    /// SHA-256 of the body; of the stored one after a 304.
    let hash: [UInt8]
}

/// A whole search that found nothing.
struct SearchFailure: Error, Sendable {
    let failure: CrawlFailure
    /// The known or registered document URL answered 410.
    let isGone: Bool
    /// Whether more than the known URL was tried.
    let searched: Bool
}

/// Looks for one service's document in the contract's order (design/crawler.md, "Finding the document").
/// Lives for one crawl; a URL is asked for once.
struct Search {
    static let fallbackPaths = [
        "rsd", "rsd.json", "rsd.xml", "xmlrpc.php?rsd", "api.php?action=rsd", "local/rsd/list.php",
        "local/powertla/rsd.php",
    ]

    private let target: CrawlTarget
    private let session: FetchSession
    private let reader: DocumentReader
    private let searchesAnew: Bool
    /// Reading cannot be broken off, so no connection waits on its threads; few at a time, as a tree takes many times
    /// its text.
    private static let parsing = BlockingWork("crawler.reading", atMost: 4)
    /// What is no larger is read in less time than a change of threads takes.
    private static let smallBody = 8 << 10
    private var tried: Set<WebURL> = []
    /// The first failure that was announced: what the service is told.
    private var firstFailure: CrawlFailure?
    private var isGone = false
    private(set) var searched = false
    /// Documents that were read.
    private(set) var parses = 0
    /// What was wrong with bodies that came, by URL.
    private(set) var judged: [String: CrawlFailure] = [:]
    /// Links that were not followed for what they are.
    private(set) var unasked: [CrawlStep] = []

    /// - Parameter searchesAnew: passes over the known document URL, as happens at least every seven days.
    init(target: CrawlTarget, session: FetchSession, searchesAnew: Bool) {
        self.target = target
        self.session = session
        self.searchesAnew = searchesAnew
        reader = DocumentReader(base: target.base, indexName: target.name)
    }

    /// Throws ``SearchFailure``, or `CancellationError`.
    mutating func run() async throws -> Found {
        do {
            let base = try WebURL(target.base)
            if let registered = target.rsd {
                guard let found = try await known(try base.resolving(registered), .registered) else { throw notFound }
                return found
            }
            if !searchesAnew, let found = try await lastFound(base) { return found }
            searched = true
            var end: CrawlFailure?
            do {
                if let found = try await anew(base) { return found }
            } catch let failure as CrawlFailure {
                end = failure
            }
            // A document that nobody points at any more is still better than none.
            if searchesAnew, let found = try await lastFound(base) { return found }
            throw firstFailure ?? end ?? notFound
        } catch let failure as CrawlFailure {
            throw SearchFailure(failure: firstFailure ?? failure, isGone: isGone, searched: searched)
        }
    }

    private var notFound: CrawlFailure { CrawlFailure(.notFound, "no document was found") }

    /// Step 1. At another origin than the base's only as long as the base still points there, so that is searched for
    /// anew.
    private mutating func lastFound(_ base: WebURL) async throws -> Found? {
        guard target.hash != nil, let url = target.documentURL.flatMap({ try? WebURL($0) }), url.origin == base.origin
        else { return nil }
        return try await known(url, target.source ?? .base)
    }

    private mutating func known(_ url: WebURL, _ source: CrawlSource) async throws -> Found? {
        try await attempt(url, source, ttl: source == .servicesText ? target.ttl : nil)
    }

    /// Steps 2 to 6.
    private mutating func anew(_ base: WebURL) async throws -> Found? {
        if let found = try await page(base) { return found }
        if let found = try await servicesText(base) { return found }
        return try await fallback(base)
    }

    /// Steps 2 to 4. Failures of the base URL that say the site is not there end the search.
    private mutating func page(_ base: WebURL) async throws -> Found? {
        let home: Answer
        do {
            home = try await baseAnswer(base)
        } catch let failure as CrawlFailure
            where failure.reason == .tooLarge || failure.reason == .encoding || failure.reason == .malformed
        {
            note(failure)
            return nil
        }
        guard home.status < 500 else { throw await session.refusal(of: home) }
        if home.status == 200, let found = await document(home) { return found }
        if let found = try await linked(LinkHeader.links(home.headers["Link"]), from: home.url, .linkHeader) {
            return found
        }
        guard home.status == 200 else { return nil }
        let links = await Search.reading(home) {
            BodyKind(home.body) == .json ? nil : HTMLLinks(BodyEncoding.page(home.body, charset: home.charset))
        }
        guard let page = links else { return nil }
        let root = page.base.flatMap { try? home.url.resolving($0) } ?? home.url
        return try await linked(page.links, from: root, .html)
    }

    /// A base URL that is a folder may be registered without its slash.
    private mutating func baseAnswer(_ base: WebURL) async throws -> Answer {
        tried.insert(base)
        let answer = try await session.get(base, for: .base)
        guard answer.status == 404, !base.path.hasSuffix("/"), base.query == nil,
            let folder = try? WebURL(base.description + "/")
        else { return answer }
        tried.insert(folder)
        let second = try await session.get(folder, for: .base)
        return second.status == 200 ? second : answer
    }

    /// Step 2: the base URL's own answer. It counts as announced only when it looks like a document.
    private mutating func document(_ home: Answer) async -> Found? {
        let kind = await Search.reading(home) { BodyKind(home.body) }
        guard kind != .html, kind != .other || BodyEncoding.startsWithUTF16Mark(home.body) else { return nil }
        do {
            return try await found(home, .base, ttl: nil)
        } catch {
            if kind == .json || error.reason != .notRSD { note(error) }
            return nil
        }
    }

    private mutating func linked(_ links: [FoundLink], from url: WebURL, _ source: CrawlSource) async throws -> Found? {
        for link in FoundLink.candidates(links) {
            if let found = try await attempt(link.href, from: url, source) { return found }
        }
        return nil
    }

    /// Step 5.
    private mutating func servicesText(_ base: WebURL) async throws -> Found? {
        for name in ["/services.txt", "/service.txt"] {
            let answer: Answer
            do {
                answer = try await session.document(try WebURL(base.origin + name), for: .servicesText)
            } catch let failure as CrawlFailure {
                if failure.reason != .httpStatus { note(failure) }
                continue
            }
            switch await Search.reading(answer, { BodyKind(answer.body) }) {
            case .html: continue
            case .json, .xml:
                do {
                    return try await found(answer, .servicesText, ttl: nil)
                } catch {
                    note(error)
                }
            case .other:
                let text = await Search.reading(answer) {
                    ServicesText(BodyEncoding.page(answer.body, charset: answer.charset))
                }
                for uri in text.uris {
                    if let found = try await attempt(uri, from: WebURL(base.origin + "/"), .servicesText, ttl: text.ttl)
                    {
                        return found
                    }
                }
            }
        }
        return nil
    }

    /// Step 6: nobody announced these, so their failures say nothing.
    private mutating func fallback(_ base: WebURL) async throws -> Found? {
        let folder = base.origin + (base.path.hasSuffix("/") ? base.path : base.path + "/")
        for path in Search.fallbackPaths {
            guard await !session.isExhausted else {
                note(CrawlFailure(.timeout, "the search took too long or too many requests"))
                return nil
            }
            let before = firstFailure
            if let found = try await attempt(try WebURL(folder + path), .fallback) { return found }
            firstFailure = before
        }
        return nil
    }

    private mutating func attempt(
        _ href: String, from url: WebURL, _ source: CrawlSource, ttl: Int? = nil
    ) async throws -> Found? {
        do {
            return try await attempt(try Search.next(href, from: url, base: target.base), source, ttl: ttl)
        } catch let failure as CrawlFailure {
            let shown = CrawlFailure.shown(href, most: 200)
            unasked.append(
                CrawlStep(
                    url: shown, source: source, status: nil, reason: failure.reason, detail: failure.detail, tookMS: 0,
                    host: ""))
            note(failure)
            return nil
        }
    }

    /// As with redirects, https leads to https only: whoever listens on the way must not choose what is read.
    static func next(_ href: String, from url: WebURL, base: String) throws(CrawlFailure) -> WebURL {
        let next = try url.resolving(href)
        guard next.isSecure || !base.lowercased().hasPrefix("https:") else {
            throw CrawlFailure(.scheme, "a link from https to \(next)")
        }
        return next
    }

    /// Conditional when the URL is the one of the last success.
    private mutating func attempt(_ url: WebURL, _ source: CrawlSource, ttl: Int? = nil) async throws -> Found? {
        guard tried.insert(url).inserted else { return nil }
        let isSame = target.hash != nil && target.document != nil && target.documentURL == url.description
        let validators = isSame ? target.validators : nil
        do {
            let answer = try await session.document(url, validators: validators, for: source)
            return try await found(answer, source, ttl: ttl)
        } catch let failure as CrawlFailure {
            if failure.status == 410, source == .registered || url.description == target.documentURL { isGone = true }
            note(failure)
            return nil
        }
    }

    /// The same bytes from the same URL cost no parse.
    private mutating func found(_ answer: Answer, _ source: CrawlSource, ttl: Int?) async throws(CrawlFailure) -> Found
    {
        let isKnown = target.documentURL == answer.url.description && target.document != nil
        if answer.status == 304, let hash = target.hash, target.document != nil {
            return Found(body: .same, answer: answer, source: source, ttl: ttl, hash: hash)
        }
        let hash = await Search.reading(answer) { Digest.sha256(answer.body) }
        if isKnown, target.hash == hash {
            return Found(body: .same, answer: answer, source: source, ttl: ttl, hash: hash)
        }
        parses += 1
        let reader = reader
        switch await Search.reading(answer, { Search.read(answer, by: reader) }) {
        case .success(let document):
            return Found(body: .read(document), answer: answer, source: source, ttl: ttl, hash: hash)
        case .failure(let error):
            let failure = CrawlFailure(error.reason, error.detail, status: answer.status).at(answer.url)
            judged[answer.url.description] = failure
            throw failure
        }
    }

    /// Each reading takes time by the length of its text alone, as `ReadingLimits` and the fuzzers see to.
    private static func reading<T: Sendable>(_ answer: Answer, _ read: @escaping @Sendable () -> T) async -> T {
        answer.body.count <= smallBody ? read() : await parsing.run(read)
    }

    private static func read(_ answer: Answer, by reader: DocumentReader) -> Result<ReadDocument, CrawlFailure> {
        do {
            return .success(
                try reader.read(answer.body, charset: answer.charset, url: answer.url, isYAML: answer.isYAML))
        } catch {
            return .failure(error)
        }
    }

    private mutating func note(_ failure: CrawlFailure) { firstFailure = firstFailure ?? failure }
}
