import Base
import NIOHTTP1
import Traces

/// The requests of one service's crawl: counts them, keeps their time, follows redirects by hand, and checks each name,
/// address and port anew. Nothing is remembered from one answer to the next: no cookies, no credentials, no referer.
actor FetchSession {
    private let policy: FetchPolicy
    private let resolver: Resolver
    private let gate: HostGate
    private let clock: WallClock
    private let loopback: Bool
    /// The only port at which loopback is permitted; `nil` is any.
    private let loopbackPort: Int?
    private var requestsLeft: Int
    private var ends: ContinuousClock.Instant
    private var gateLeft: Duration
    /// Names whose look-up has not ended: not looked up again, as each holds a thread.
    private var unresolved: Set<String> = []
    /// Each request, redirects among them, in order.
    private(set) var trail: [CrawlStep] = []
    private(set) var bytes = 0

    init(
        policy: FetchPolicy, resolver: Resolver, gate: HostGate, clock: WallClock, loopback: Bool,
        loopbackPort: Int? = nil
    ) {
        self.policy = policy
        self.resolver = resolver
        self.gate = gate
        self.clock = clock
        self.loopback = loopback
        self.loopbackPort = loopbackPort
        gateLeft = policy.gateTime
        requestsLeft = policy.requests
        ends = .now + policy.searchTime
    }

    /// Whether the search has used up its requests or its time.
    var isExhausted: Bool { requestsLeft <= 0 || ends <= .now }

    /// Nothing is asked after it.
    /// - Returns: what was asked, in order, and the bytes of bodies that came.
    @discardableResult
    func close() -> (trail: [CrawlStep], bytes: Int) {
        requestsLeft = 0
        return (trail, bytes)
    }

    /// GET, through up to five redirects. An answer of any status but a redirect's; see ``document(_:validators:for:)``
    /// for the usual demand.
    func get(_ url: WebURL, validators: Validators? = nil, for source: CrawlSource = .base) async throws -> Answer {
        var seen: Set<WebURL> = [url]
        var url = url, lasting = url, isLasting = true
        for hop in 0...policy.redirects {
            var answer = try await one(url, validators: hop == 0 ? validators : nil, source)
            guard [301, 302, 303, 307, 308].contains(answer.status),
                let location = answer.headers.first(name: "Location")
            else {
                answer.lasting = lasting
                return answer
            }
            let next = try url.resolving(location)
            guard !url.isSecure || next.isSecure else { throw CrawlFailure(.scheme, "redirect from https to \(next)") }
            guard seen.insert(next).inserted else { throw CrawlFailure(.redirects, "redirect loop at \(next)") }
            isLasting = isLasting && (answer.status == 301 || answer.status == 308)
            if isLasting { lasting = next }
            url = next
        }
        throw CrawlFailure(.redirects, "more than \(policy.redirects) redirects, last to \(url)")
    }

    /// As ``get(_:validators:for:)``, but any status other than 200, and 304 of what was asked conditionally, is a
    /// failure.
    func document(_ url: WebURL, validators: Validators? = nil, for source: CrawlSource = .base) async throws -> Answer
    {
        let answer = try await get(url, validators: validators, for: source)
        let isConditional = answer.url == url && (validators?.etag != nil || validators?.lastModified != nil)
        guard answer.status == 200 || answer.status == 304 && isConditional else { throw refusal(of: answer) }
        return answer
    }

    func refusal(of answer: Answer) -> CrawlFailure {
        CrawlFailure(
            .httpStatus, "answered \(answer.status)", status: answer.status,
            retryAfter: Answer.retryAfter(answer.headers, now: clock.now())
        )
        .at(answer.url)
    }

    private func one(_ url: WebURL, validators: Validators?, _ source: CrawlSource) async throws -> Answer {
        guard requestsLeft > 0 else {
            throw CrawlFailure(.timeout, "more than \(policy.requests) requests for one service")
        }
        requestsLeft -= 1
        // Waiting for other services on the same host does not count against this one, within reason.
        let span = Phase.begin("GET", .client)
        defer { span?.end() }
        span?.set(.httpMethod, "GET")
        span?.set(.serverAddress, url.hostText)
        let waited = try await gate.enter(url.hostText, within: gateLeft)
        (ends, gateLeft) = (ends + waited, gateLeft - waited)
        let left = min(policy.answerTime, ends - .now), began = ContinuousClock.now
        let result: Result<Answer, any Error>
        do {
            guard left > .zero else { throw CrawlFailure(.timeout, "the search took more than \(policy.searchTime)") }
            result = .success(try await exchange(url, validators: validators, until: ExchangeDeadline(in: left)))
        } catch {
            result = .failure(error)
        }
        gate.leave(url.hostText)
        do {
            let answer = try result.get()
            bytes += answer.body.count
            span?.set(.httpStatus, answer.status)
            record(url, source, answer.status, nil, since: began)
            return answer
        } catch let error as CancellationError {
            throw error
        } catch {
            let failure = FetchTrouble.failure(error).at(url)
            span?.fail(failure.reason.rawValue)
            record(url, source, nil, failure, since: began)
            throw failure
        }
    }

    private func record(
        _ url: WebURL, _ source: CrawlSource, _ status: Int?, _ failure: CrawlFailure?,
        since began: ContinuousClock.Instant
    ) {
        trail.append(
            CrawlStep(
                url: url.description, source: source, status: status, reason: failure?.reason, detail: failure?.detail,
                tookMS: Int((ContinuousClock.now - began) / .milliseconds(1)), host: url.hostAndPort))
    }

    private func exchange(
        _ url: WebURL, validators: Validators?, until deadline: ExchangeDeadline
    ) async throws -> Answer {
        let addresses = try await addresses(of: url, until: deadline)
        // A base without TLS was admitted for where it leads (design/cli.md, "services").
        guard url.isSecure || addresses.allSatisfy({ policy.addresses.admitsPlain($0, loopback: loopback) }) else {
            throw CrawlFailure(.scheme, "without TLS only addresses in crawler-allow are asked")
        }
        let exchange = HTTPExchange(
            url: url, headers: headers(validators),
            limits: HTTPExchange.Limits(
                connectTime: policy.connectTime, headerBytes: policy.headerBytes, bodyBytes: policy.bodyBytes),
            wantsBody: FetchSession.wantsBody, tls: policy.tls)
        let reply = try await exchange.run(at: addresses.prefix(policy.addressesTried), until: deadline)
        return Answer(url: url, status: reply.status, headers: reply.head.headers, body: reply.body)
    }

    private func addresses(of url: WebURL, until deadline: ExchangeDeadline) async throws -> [IPAddress] {
        guard unresolved.insert(url.hostText).inserted else {
            throw CrawlFailure(.dns, "\(url.hostText) was not resolved in time")
        }
        let isOpen = loopback && (loopbackPort == nil || loopbackPort == url.effectivePort)
        do {
            let found = try await CheckedConnection.addresses(
                of: url, policy.addresses, resolver, loopback: isOpen, until: deadline)
            unresolved.remove(url.hostText)
            return found
        } catch let failure as CrawlFailure where failure.reason != .timeout {
            unresolved.remove(url.hostText)
            throw failure
        }
    }

    private func headers(_ validators: Validators?) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "User-Agent": policy.userAgent, "Accept-Encoding": "gzip, deflate",
            "Accept":
                """
            application/x-rsd+json, application/x-rsd+xml, application/rsd+xml, application/json;q=0.9, \
            text/xml;q=0.9, text/html;q=0.8, */*;q=0.5
            """,
        ]
        if let etag = validators?.etag { headers.add(name: "If-None-Match", value: etag) }
        if let date = validators?.lastModified { headers.add(name: "If-Modified-Since", value: date) }
        for header in Phase.headers { headers.add(name: header.name, value: header.value) }
        return headers
    }

    private static func wantsBody(_ head: HTTPResponseHead) throws -> Bool {
        guard head.status.code == 200 else { return false }
        let codings = head.headers[canonicalForm: "Content-Encoding"].map { $0.lowercased() }.filter {
            $0 != "identity" && !$0.isEmpty
        }
        guard codings.isEmpty || codings == ["gzip"] || codings == ["deflate"] else {
            throw CrawlFailure(.encoding, "content coding \(codings.joined(separator: ", "))")
        }
        return true
    }
}
