import Accounts
import Administration
import Base
import Database
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Synchronization
import TokenTree
import Vocabulary

/// How often one caller may ask: so many at once, then so many a second. In the memory of this process.
final class AdminAPILimit: Sendable {
    private static let burst = 600.0, rate = 20.0
    private let buckets = Mutex(BucketTable<String>())

    func take(_ caller: String, at now: Date) throws {
        let wait = buckets.withLock {
            $0.take(caller, burst: AdminAPILimit.burst, rate: AdminAPILimit.rate, at: now)
        }
        guard let seconds = wait.map({ Int($0.rounded(.up)) }) else { return }
        let policy = ServiceLimit.Policy("administration", burst: AdminAPILimit.burst, rate: AdminAPILimit.rate)
        throw OAuthError.exceeded(
            ServiceLimit(policy, remaining: 0, reset: seconds), "you ask too often; try again in \(seconds) seconds")
    }
}

/// `/admin/api/v1`: the catalog of `pando admin`, command by command (docs/admin-api.md).
extension ConsoleContext {
    static let api = OwnResource.administration.rawValue

    var apiEndpoints: [Endpoint] {
        let offered = Endpoint(.get, Self.api, "What the caller may do") { request, context in
            try await answering(context) { try await offers(request, context) }
        }.telling(.offers).named("listAdministration")
        let commands = catalog.entries.compactMap { entry in
            HTTPRequest.Method(rawValue: entry.route.method).map { method in
                Endpoint(method, Self.api + entry.route.path, entry.abstract) { request, context in
                    try await answering(context) { try await respond(entry, request, context) }
                }.telling(.running(entry, in: catalog)).named(entry.operationID)
            }
        }
        return ([offered] + commands).tagged("administration")
    }

    private func answering(
        _ context: RoutedContext, _ body: () async throws -> Response
    ) async throws -> Response {
        do { return try await body() } catch { return try AdminAPIErrors.answer(error, context) }
    }

    private func respond(
        _ entry: AdminEntry, _ request: Request, _ context: RoutedContext
    ) async throws -> Response {
        let caller = try await caller(request.presented(idp.realm.base, context), changes: entry.isChange)
        try limit.take(caller.name, at: clock.now())
        let arguments = try await AdminAPIRequest.arguments(of: entry, request, context)
        let session = open(caller.actor(reason: arguments["reason"]?.string), caller.authority)
        guard entry.isChange else {
            return AdminAPIAnswer.response(try await catalog.perform(entry, arguments, in: session), to: request)
        }
        return try await change(entry, arguments, caller, request, in: session).response
    }

    private func change(
        _ entry: AdminEntry, _ arguments: JSONObject, _ caller: AdminAPICaller, _ request: Request,
        in session: AdminSession
    ) async throws -> AdminAPIAnswer {
        let condition = try AdminAPIPrecondition(request, of: entry, arguments, in: catalog)
        let isDryRun = arguments["dry_run"]?.bool == true
        let fields = request.headers[values: .named("Idempotency-Key")]
        // What is undone may be asked for as often as one likes.
        let asked =
            isDryRun ? nil : try IdempotencyKeys.Asked(fields, of: caller.name, entry.route, arguments)
        // Before it is asked whose the thing is: what was deleted is nobody's any more, and was theirs who did it.
        if let asked, AdminPermissions.mayRun(entry, caller.authority),
            let done = try await keys.answer(to: asked, in: database)
        {
            return done
        }
        let answer: @Sendable (JSONObject) -> AdminAPIAnswer = { made in
            self.answer(made, entry, arguments, isDryRun: isDryRun)
        }
        let beside = AdminBeside(
            before: { inside in
                if let asked { try await keys.claim(asked, in: inside.executor) }
                try await condition?.check(catalog, in: inside)
            },
            after: { inside, made in
                guard let asked else { return }
                try await keys.keep(answer(made), of: asked, at: inside.now, in: inside.executor)
            })
        do {
            guard case .object(let made) = try await catalog.perform(entry, arguments, in: session, beside: beside)
            else { throw AdminFailure(.failed, "a change tells of one thing") }
            return answer(made)
        } catch let done as IdempotencyKeys.Done {
            return done.answer
        }
    }

    private func answer(
        _ made: JSONObject, _ entry: AdminEntry, _ arguments: JSONObject, isDryRun: Bool
    ) -> AdminAPIAnswer {
        guard entry.makesSomething, !isDryRun else { return AdminAPIAnswer(status: 200, location: nil, body: made) }
        let place = catalog.location(of: made, by: entry, arguments)
        return AdminAPIAnswer(status: 201, location: place.map { idp.realm.base + Self.api + $0 }, body: made)
    }

    private func offers(_ request: Request, _ context: RoutedContext) async throws -> Response {
        let caller = try await caller(request.presented(idp.realm.base, context), changes: false)
        try limit.take(caller.name, at: clock.now())
        var answer: JSONObject = ["caller": .string(caller.name)]
        if let account = caller.authority.account, caller.name.hasPrefix("account:") {
            let person = try await AccountStore(clock: clock).find(account, in: database)
            answer["username"] = person.map { .string($0.username) }
        }
        answer["changes"] = .bool(caller.mayChange)
        answer["roles"] = .array(
            caller.authority.grants.map { grant in
                var role: JSONObject = ["role": .string(grant.role.rawValue)]
                role["institution"] = grant.institution.map(JSONValue.string)
                role["service"] = grant.service.map(JSONValue.string)
                return .object(role)
            })
        answer["items"] = .array(catalog.entries.filter(caller.isOffered).map { .object($0.offer(below: Self.api)) })
        return AdminAPIAnswer.response(.object(answer), to: request)
    }
}

extension AdminAPIAnswer {
    var response: Response {
        let headers: HTTPFields = location.map { [.location: $0] } ?? [:]
        return Answer.json(.object(body), status: .init(code: status), headers: headers)
    }

    /// A list by pages; one thing with its tag, or 304 for who has it.
    static func response(_ result: AdminResult, to request: Request) -> Response {
        switch result {
        case .list(let items, let next): return Answer.json(["items": .array(items), "next": JSONValue(next)])
        case .object(let object):
            let tag = tag(.object(object))
            guard request.method == .get || request.method == .head else { return Answer.json(.object(object)) }
            guard !EntityTags.match(request, tag) else {
                return Response(status: .notModified, headers: [.eTag: tag, .cacheControl: "no-store"])
            }
            return Answer.json(.object(object), headers: [.eTag: tag])
        }
    }
}
