import Base
import Foundation
import Push
import Synchronization
import TestSupport
import Testing

@testable import Operations

@Suite("operations.md 1.2 and 1.5: inbox and pushes")
struct OperationInboxTests {
    private func send(
        _ bank: OperationsBank, _ more: JSONObject = [:], to user: String = "ada"
    ) async throws -> InboxMessage {
        var body: JSONObject = [
            "userId": .string(user), "subject": "Hello", "summary": "A summary", "body": "A body\nof lines",
        ]
        for (name, value) in more { body[name] = value }
        return try await bank.service.addMessage(.object(body), by: PhoneFixture.bank)
    }

    private func page(
        _ phone: BankPhone, _ page: Int, _ size: Int, onlyUnread: Bool = false
    ) async throws -> [JSONValue] {
        let reply = try await phone.call(
            "/api/inbox/message/list",
            ["page": .integer(page), "size": .integer(size), "onlyUnread": .bool(onlyUnread)])
        return reply.object?.array ?? []
    }

    @Test("messages in pages, newest first; read one by one and all together; the body in the detail alone")
    func reading() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), bob = try await bank.phone("bob")
            var sent: [InboxMessage] = []
            for number in 0..<5 { sent.append(try await send(bank, ["subject": .string("No. \(number)")])) }
            let newest = sent[4].id

            let first = try await page(phone, 0, 2), last = try await page(phone, 2, 2)
            let detail = try await phone.call("/api/inbox/message/detail", ["id": .string(newest)])
            let read = try await phone.call("/api/inbox/message/read", ["id": .string(newest)])
            let again = try await phone.call("/api/inbox/message/read", ["id": .string(newest)])
            let unread = try await page(phone, 0, 10, onlyUnread: true),
                count = try await phone.call("/api/inbox/count")
            _ = try await phone.call("/api/inbox/message/read-all")
            let none = try await phone.call("/api/inbox/count"), his = try await phone.call("/api/inbox/count"),
                stranger = try await page(bob, 0, 10)

            #expect(first.map { $0["subject"] } == ["No. 4", "No. 3"] && last.map { $0["subject"] } == ["No. 0"])
            #expect(first[0].object?.names == ["id", "type", "subject", "summary", "read", "timestampCreated"])
            #expect(
                first[0]["timestampCreated"] == "2027-01-15T08:00:00+0000" && first[0]["read"] == false
                    && first[0]["type"] == "text")
            #expect(detail.object?["body"] == "A body\nof lines")
            #expect(read.json == ["status": "OK"] && again.isOK)
            #expect(unread.count == 4 && count.object == ["countUnread": 4])
            #expect(none.object == ["countUnread": 0] && his.object == ["countUnread": 0] && stranger.isEmpty)
        }
    }

    @Test("another's message, an unknown one and a malformed page are refused")
    func refusals() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), other = try await send(bank, to: "bob")

            for path in ["detail", "read"] {
                let reply = try await phone.call("/api/inbox/message/\(path)", ["id": .string(other.id)])
                #expect(reply.isRefused("INBOX_FAILED"))
            }
            for members: JSONObject? in [
                ["page": -1, "size": 10], ["page": 0, "size": 0], ["page": "0", "size": 10], [:], nil,
            ] {
                let reply = try await phone.call("/api/inbox/message/list", members)
                #expect(reply.isRefused("INVALID_REQUEST"))
            }
            for change: JSONObject in [["type": "markdown"], ["subject": ""], ["userId": .null], ["body": "a\u{7}"]] {
                let refused = await backOfficeRefusal { _ = try await send(bank, change) }
                #expect(refused == "ERROR_REQUEST")
            }
        }
    }

    /// Keeps pushes and answers as the test says.
    private final class Taken: Sendable {
        let pushes = Mutex<[PhonePush]>([])
        let result: PushResult

        init(_ result: PushResult = .delivered) { self.result = result }

        func sender(_ bank: OperationsBank) -> PhonePushSender {
            let delivery = PhonePushDelivery { [self] push in
                pushes.withLock { $0.append(push) }
                return result
            }
            return PhonePushSender(bank.service, delivery: delivery, logger: .quiet)
        }

        var all: [PhonePush] { pushes.withLock { $0 } }
    }

    private func register(_ bank: OperationsBank) async throws {
        let phone = try await bank.phone()
        let reply = try await phone.call(
            "/api/push/device/register", ["platform": "ios", "token": "5FBC85D0", "environment": "production"])
        try #require(reply.json == ["status": "OK"])
    }

    @Test("pushes of beginning, end and inbox as the SDK parses them; silent operations have none")
    func pushes() async throws {
        try await OperationsBank.with(pushes: true) { bank in
            let taken = Taken()
            try await register(bank)
            _ = try await bank.phone()
            let order = try await bank.order()
            _ = try await bank.order("ada", "login", ["silent": true])
            try await taken.sender(bank).sendDue()
            try await bank.cancel(order)
            let message = try await send(bank)
            try await taken.sender(bank).sendDue()

            let pushes = taken.all, finished = pushes.last { $0.payload["messageType"] == "mtoken.operationFinished" }

            #expect(pushes.count == 3)
            #expect(
                pushes.first?.apns.text
                    == """
                    {\"aps\":{\"alert\":{\"title\":\"Payment\",\"body\":\"Pay 100.50 CZK to \
                    CZ2730300000001165254011?\"},
                    """
                        + """
                        \"sound\":\"default\"},\"messageType\":\"mtoken.operationInit\",\"operationId\"\
                        :\"\(order.id)\",\"operationName\":\"authorize_payment\"}
                        """
            )
            #expect(
                finished?.payload == [
                    "messageType": "mtoken.operationFinished", "operationId": .string(order.id),
                    "operationName": "authorize_payment",
                    "mtokenOperationResult": "operation.canceled",
                ])
            #expect(
                pushes.contains {
                    $0.payload == ["messageType": "mtoken.inboxMessage.new", "inboxId": .string(message.id)]
                })
            #expect(
                pushes.allSatisfy { $0.platform == "apns" && $0.token == "5fbc85d0" && $0.environment == "production" })
        }
    }

    @Test("results of operations in the SDK's words", arguments: OperationStatus.allCases)
    func results(status: OperationStatus) {
        let known: Set<String> = [
            "authentication.success", "authentication.fail", "operation.timeout", "operation.canceled",
            "operation.methodNotAvailable",
        ]

        let word = PhonePushOutbox.result(status)

        #expect(status == .pending ? word == nil : word.map { known.contains($0) } == true)
    }

    @Test(
        "a token that is gone is forgotten, one that is refused is not tried again, one that has to wait is",
        arguments: [
            PushResult.addressGone, .refused("no"), .later("busy"),
        ])
    func outcomes(result: PushResult) async throws {
        try await OperationsBank.with(pushes: true) { bank in
            let taken = Taken(result)
            try await register(bank)
            _ = try await bank.order()
            for _ in 0..<2 {
                try await taken.sender(bank).sendDue()
                bank.time.advance(10)
            }

            let left: Int = try await bank.database.value("select count(*) from phone_push")
            let tokens: Int = try await bank.database.value(
                "select count(*) from phone_registration where push_token is not null")
            #expect(taken.all.count == (result == .later("busy") ? 2 : 1))
            #expect(left == (result == .later("busy") ? 1 : 0))
            #expect(tokens == (result == .addressGone ? 0 : 1))
        }
    }

    @Test(
        "platforms by old and new names; what is none is refused",
        arguments: [
            ("ios", "00FF", "apns"), ("apns", "00ff", "apns"), ("android", "a:b-c_d", "fcm"), ("fcm", "x", "fcm"),
            ("huawei", "x", "hms"), ("hms", "x", "hms"),
            ("windows", "x", nil), ("ios", "xyz", nil), ("ios", "0", nil), ("fcm", "a b", nil), ("fcm", "", nil),
        ] as [(String, String, String?)])
    func platforms(platform: String, token: String, stored: String?) {
        let body = JSONValue.object(["requestObject": ["platform": .string(platform), "token": .string(token)]]).bytes

        let address = try? PushAddress(body)

        #expect(address?.platform == stored)
    }
}
