import Base
import Crypto
import Database
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Operations

/// Stands for a service that is called back: keeps what it is sent, and answers as the test says.
final class CalledBack: Sendable {
    private let taken = Mutex<[CallbackHTTP.Request]>([])
    private let status: @Sendable (_ number: Int) -> Int

    /// `number` counts from 1.
    init(_ status: @escaping @Sendable (_ number: Int) -> Int = { _ in 204 }) { self.status = status }

    var requests: [CallbackHTTP.Request] { taken.withLock { $0 } }
    var bodies: [JSONValue] { requests.compactMap { try? JSONReader.read($0.body) } }
    var types: [String] { bodies.compactMap { $0["type"]?.string }.sorted() }

    var http: CallbackHTTP {
        CallbackHTTP { [self] request in
            status(
                taken.withLock { taken in
                    taken.append(request)
                    return taken.count
                })
        }
    }
}

extension CallbackHTTP.Request {
    func header(_ name: String) -> String { headers.first { $0.name == name }?.value ?? "" }
}

@Suite("backoffice.md: callbacks of operations")
struct OperationCallbackTests {
    private func add(
        _ bank: OperationsBank, _ more: JSONObject = [:], by caller: OperationsCaller = PhoneFixture.bank
    ) async throws -> CallbackView {
        var body: JSONObject = ["url": "https://bank.example/hook", "events": ["operation", "registration"]]
        for (name, value) in more { body[name] = value }
        return try await bank.service.addCallback(.object(body), by: caller)
    }

    private func worker(_ bank: OperationsBank, _ service: CalledBack) -> CallbackSender {
        CallbackSender(bank.service, http: service.http, logger: .quiet)
    }

    /// As its loop does: until nothing is due.
    private func drain(_ sender: CallbackSender) async throws {
        for _ in 0..<100 { guard try await sender.sendDue() > 0 else { return } }
        Issue.record("there is always something due")
    }

    @Test("every change and every failed attempt is told, signed as Standard Webhooks are, to the owner alone")
    func told() async throws {
        try await OperationsBank.with { bank in
            let service = CalledBack(), callback = try await add(bank),
                secret = try #require(callback.json["secret"]?.string)
            _ = try await add(bank, ["url": "https://stranger.example/"], by: PhoneFixture.stranger)
            var phone = try await bank.phone()
            let order = try await bank.order(), other = try await bank.order(nil)
            _ = try await phone.authorize(order, data: "x")
            _ = try await phone.authorize(order)
            _ = try await phone.claim(other)
            _ = try await phone.reject(other)
            _ = try await phone.phone.validate(isWrong: true)

            try await drain(worker(bank, service))

            for type in [
                "operation.approved", "operation.attempt_failed", "operation.claimed", "operation.rejected",
                "registration.created",
                "registration.failed_attempt",
            ] {
                #expect(service.types.count { $0 == type } == 1, "\(type)")
            }
            #expect(service.types.count { $0 == "operation.created" } == 2)
            let key = SymmetricKey(data: try #require(Data(base64Encoded: String(secret.dropFirst("whsec_".count)))))
            for request in service.requests {
                #expect(request.url == "https://bank.example/hook")
                let id = request.header("webhook-id"), at = request.header("webhook-timestamp")
                let signed = "\(id).\(at).\(String(decoding: request.body, as: UTF8.self))"
                let mac = Data(HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: key))
                    .base64EncodedString()
                #expect(request.header("webhook-signature") == "v1,\(mac)")
                #expect(request.header("webhook-timestamp") == String(bank.time.now.numericDate))
            }
            #expect(Set(service.requests.map { $0.header("webhook-id") }).count == service.requests.count)
        }
    }

    @Test("what the operation is about is told only when chosen; id and status always")
    func attributes() async throws {
        try await OperationsBank.with { bank in
            let service = CalledBack()
            _ = try await add(bank, ["events": ["operation"]])
            _ = try await add(bank, ["events": ["operation"], "attributes": ["data", "userId"]])
            _ = try await bank.order("ada", "near")

            try await worker(bank, service).sendDue()

            let members = service.bodies.compactMap { $0["data"]?.object?.names }.sorted { $0.count < $1.count }
            #expect(members.first == ["operationId", "userId", "status", "data"])
            #expect(
                members.last?.contains("template") == true && members.last?.contains("data") == false
                    && members.last?.contains("parameters") == false)
            #expect(members.allSatisfy { !$0.contains("proximityOtp") })
        }
    }

    @Test(
        """
        what was refused or not heard is tried again, later and later, with the same id and body; given up after \
        three days, and sent again when asked for
        """
    )
    func retried() async throws {
        try await OperationsBank.with { bank in
            let service = CalledBack { $0 < 4 ? 500 : 200 }, callback = try await add(bank, ["events": ["operation"]])
            _ = try await bank.order()
            let sender = worker(bank, service)
            try await sender.sendDue()
            try await sender.sendDue()
            let first = service.requests.count
            for _ in 0..<2 {
                bank.time.advance(60)
                try await sender.sendDue()
            }
            bank.time.advance(CallbackSender.patience)
            try await sender.sendDue()
            let delivered = try await bank.service.deliveries(of: callback.id, for: PhoneFixture.bank)

            #expect(first == 1 && service.requests.count == 4)
            #expect(
                Set(service.requests.map { $0.header("webhook-id") }).count == 1
                    && Set(service.requests.map(\.body)).count == 1)
            #expect(delivered.map { $0.json["status"] } == ["DELIVERED"])
            #expect(delivered.first?.json["tries"] == 4)

            let count = try await bank.service.redeliver(
                callback.id, event: delivered.first?.json["id"]?.string, by: PhoneFixture.bank)
            try await sender.sendDue()

            #expect(count == 1 && service.requests.count == 5)
        }
    }

    @Test("given up after three days; all that were are sent again together")
    func givenUp() async throws {
        try await OperationsBank.with { bank in
            let service = CalledBack { $0 < 3 ? 410 : 200 }, callback = try await add(bank, ["events": ["operation"]]),
                sender = worker(bank, service)
            _ = try await bank.order()
            try await sender.sendDue()
            bank.time.advance(CallbackSender.patience)
            try await sender.sendDue()
            bank.time.advance(86_400)
            try await sender.sendDue()
            let dead = try await bank.service.deliveries(of: callback.id, for: PhoneFixture.bank).first?.json

            let count = try await bank.service.redeliver(callback.id, event: nil, by: PhoneFixture.bank)
            try await sender.sendDue()
            let alive = try await bank.service.deliveries(of: callback.id, for: PhoneFixture.bank).first?.json

            #expect(dead?["status"] == "GIVEN_UP" && dead?["lastError"] == "status 410")
            #expect(count == 1 && service.requests.count == 3 && alive?["status"] == "DELIVERED")
        }
    }

    @Test("two workers at once tell each event once")
    func workers() async throws {
        try await OperationsBank.with { bank in
            let service = CalledBack()
            _ = try await add(bank, ["events": ["operation"]])
            for _ in 0..<20 { _ = try await bank.order() }

            _ = try await crowd(4) { _ in try await drain(worker(bank, service)) }
            // A round that finds everything held by others ends a worker.
            try await drain(worker(bank, service))

            #expect(service.requests.count == 20)
        }
    }

    @Test("a callback with a long backlog leaves room to the others: four of its events at a time, the oldest first")
    func fairness() async throws {
        try await OperationsBank.with { bank in
            let service = CalledBack()
            _ = try await add(bank, ["events": ["operation"]])
            var orders: [String] = []
            for _ in 0..<40 {
                orders.append(try await bank.order().id)
                bank.time.advance(1)
            }
            _ = try await add(bank, ["url": "https://bank.example/second", "events": ["operation"]])
            let late = try await bank.order().id

            let count = try await worker(bank, service).sendDue()
            let told = Dictionary(grouping: service.requests, by: \.url).mapValues { $0.count }
            let subjects = Set(service.bodies.compactMap { $0["data"]?["operationId"]?.string })

            #expect(count == 5 && told == ["https://bank.example/hook": 4, "https://bank.example/second": 1])
            #expect(subjects == Set(orders.prefix(4) + [late]))
        }
    }

    @Test("a callback whose secret cannot be opened keeps none of the others waiting")
    func foreignSeal() async throws {
        try await OperationsBank.with { bank in
            let service = CalledBack(), broken = try await add(bank, ["events": ["operation"]])
            _ = try await add(bank, ["url": "https://bank.example/second", "events": ["operation"]])
            _ = try await bank.database.execute(
                "update operations_callback set sealed_by = 'another' where id = \(broken.id)")
            _ = try await bank.order()

            let count = try await worker(bank, service).sendDue()
            let left = try await bank.service.deliveries(of: broken.id, for: PhoneFixture.bank).first?.json

            #expect(count == 2 && service.requests.map(\.url) == ["https://bank.example/second"])
            #expect(left?["status"] == "PENDING" && left?["lastError"] == "the secret is sealed by another master key")
        }
    }

    @Test("the trail says where a callback goes, and nothing of its query")
    func trail() async throws {
        try await OperationsBank.with { bank in
            let callback = try await add(bank, ["url": "https://bank.example/hook?key=canary"])

            let written: String = try await bank.database.value(
                "select detail->>'url' from audit where node = \("callback:" + callback.id)")

            #expect(
                written == "https://bank.example/hook" && callback.json["url"] == "https://bank.example/hook?key=canary"
            )
        }
    }

    @Test("the secret is shown once, sealed at rest, and what a transaction undid is not told")
    func secrets() async throws {
        try await OperationsBank.with { bank in
            let callback = try await add(bank), shown = try #require(callback.json["secret"]?.string)
            let read = try await bank.service.callback(callback.id, for: PhoneFixture.bank),
                all = try await bank.service.callbacks(for: PhoneFixture.bank)
            let stored: [UInt8] = try await bank.database.value("select secret from operations_callback")
            let strange = await backOfficeRefusal {
                _ = try await bank.service.callback(callback.id, for: PhoneFixture.stranger)
            }
            let unknown = await backOfficeRefusal { _ = try await bank.order("ada", "no such") }

            #expect(read.json["secret"] == nil && all.map(\.id) == [callback.id])
            #expect(
                !stored.isEmpty
                    && Data(base64Encoded: String(shown.dropFirst(6))).map { Data(stored).range(of: $0) == nil } == true
            )
            #expect(strange == "ERROR_CALLBACK_NOT_FOUND" && unknown == "ERROR_TEMPLATE_NOT_FOUND")
            let events: Int = try await bank.database.value("select count(*) from operations_callback_event")
            #expect(events == 0)

            try await bank.service.removeCallback(callback.id, by: PhoneFixture.bank)
            _ = try await bank.order()
            let after: Int = try await bank.database.value("select count(*) from operations_callback_event")
            #expect(after == 0)
        }
    }

    @Test(
        "addresses that are refused",
        arguments: [
            "http://bank.example/", "ftp://bank.example/", "https://user@bank.example/", "https:///x", "bank.example",
            "",
            "https://bank.example/#part",
        ])
    func addresses(url: String) async throws {
        try await OperationsBank.with { bank in
            let refused = await backOfficeRefusal { _ = try await add(bank, ["url": .string(url)]) }

            #expect(refused == "ERROR_REQUEST")
        }
        #expect(throws: BackOfficeRefusal.self) {
            try CallbackDraft(["url": "http://127.0.0.1:9/"], allowsLoopback: false)
        }
        #expect(throws: Never.self) { try CallbackDraft(["url": "http://127.0.0.1:9/"], allowsLoopback: true) }
    }
}
