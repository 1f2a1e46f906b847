import Base
import Database
import Foundation
import OAuth
import ProtocolTestSupport
import Synchronization
import TestSupport
import Testing
import TokenTree

@testable import Operations
@testable import PowerAuth

/// Both doors of the room on a database with a clock that stands still: a bank with its templates, and phones that
/// speak to it without HTTP.
struct OperationsBank: Sendable {
    let fixture: PhoneFixture
    let service: OperationsService
    var tree: TestTree { fixture.tree }
    var database: Database { fixture.database }
    var time: SettableClock { fixture.time }

    static func with(
        pushes: Bool = false, connections: Int = 8, metrics: OAuthMetrics = .shared,
        _ body: (OperationsBank) async throws -> Void
    ) async throws {
        try await TestTree.with(connections: connections) { tree in
            let service = OperationsBank.service(
                tree, master: try PhoneFixture.key(1), pushes: pushes, metrics: metrics)
            let power = PhoneFixture.service(
                tree, tree.database, master: try PhoneFixture.key(1), events: service.registrationEvents)
            let application = try await power.addApplication(
                try ApplicationDraft(appID: "bank-app", name: "Bank"), by: PhoneFixture.bank
            ).application
            let bank = OperationsBank(
                fixture: PhoneFixture(tree: tree, service: power, sdkConfig: try #require(application.sdkConfig)),
                service: service)
            for template in [Samples.payment, Samples.login, Samples.notice, Samples.proximity] {
                _ = try await service.addTemplate(template, by: PhoneFixture.bank)
            }
            try await body(bank)
        }
    }

    static func service(
        _ tree: TestTree, master: MasterKey, pushes: Bool = false, metrics: OAuthMetrics = .shared
    ) -> OperationsService {
        let settings = OperationsSettings(
            base: "https://id.example/services/operations", allowsLoopbackCallbacks: true,
            pushes: PhonePushWays(hasWebhook: pushes))
        let partitions = PartitionKeeper(database: tree.database, clock: tree.time.clock, logger: .quiet)
        return OperationsService(
            database: tree.database, master: master, settings: settings,
            oneTime: OneTimeStore(database: tree.database, partitions: partitions),
            clock: tree.time.clock, randomness: .system, logger: .quiet, metrics: metrics)
    }

    // MARK: The back office

    func order(
        _ user: String? = "ada", _ template: String = "payment", parameters: JSONObject = Samples.details,
        _ more: JSONObject = [:],
        by caller: OperationsCaller = PhoneFixture.bank
    ) async throws -> OperationView {
        var body: JSONObject = ["template": .string(template), "parameters": .object(parameters)]
        if let user { body["userId"] = .string(user) }
        for (name, value) in more { body[name] = value }
        return try await service.beginOperation(.object(body), by: caller)
    }

    func read(_ order: OperationView) async throws -> JSONValue {
        try await service.operation(order.id, for: PhoneFixture.bank).json
    }

    func status(_ order: OperationView) async throws -> String { try await read(order)["status"]?.string ?? "" }

    func failures(_ order: OperationView) async throws -> Int { try await read(order)["failureCount"]?.integer ?? -1 }

    func cancel(_ order: OperationView, _ reason: String? = "changed_mind") async throws {
        _ = try await service.cancelOperation(order.id, reason: reason, by: PhoneFixture.bank)
    }

    /// What the trail says of an operation, in order: `action outcome step`.
    func trail(_ order: OperationView) async throws -> [String] {
        try await database.query(
            """
            select action || ' ' || outcome || coalesce(' ' || (detail->>'step'), '') as line from audit
                where node = \("operation:" + order.id) order by id
            """
        ).map { try $0("line") as String }
    }

    // MARK: Phones

    func phone(
        _ user: String = "ada", flags: [String] = [], system: PowerAuthPhone.System = .ios
    ) async throws -> BankPhone {
        try await phone(try await fixture.start(user, phase: .onKeyExchange, flags: flags), system: system)
    }

    func phone(_ started: StartedRegistration, system: PowerAuthPhone.System = .ios) async throws -> BankPhone {
        var phone = try PowerAuthPhone(sdkConfig: fixture.sdkConfig, system: system, clock: time.clock, post: post)
        try await phone.activate(started.qrText)
        // Before the phone is copied: making a token moves its counter.
        let token = try await phone.createToken()
        return BankPhone(phone: phone, token: token)
    }

    /// What the routes will do.
    private var post: PowerAuthPhone.Post {
        let power = fixture.post, service = service
        return { path, headers, body in
            guard path.hasPrefix("/api/") else { return try await power(path, headers, body) }
            let request = PhoneRequest(
                authorization: headers[SignatureHeader.name], token: headers[TokenHeader.name], body: body,
                language: headers["Accept-Language"],
                origin: "192.0.2.1")
            do {
                return PowerAuthReply(status: 200, json: try await OperationsBank.answer(path, request, service))
            } catch let refusal as OperationsRefusal {
                return PowerAuthReply(status: refusal.status, json: refusal.json)
            }
        }
    }

    private static func answer(
        _ path: String, _ request: PhoneRequest, _ service: OperationsService
    ) async throws -> JSONValue {
        switch path {
        case BankPhone.root + "list": try await service.list(request)
        case BankPhone.root + "detail": try await service.detail(request)
        case BankPhone.root + "detail/claim": try await service.claim(request)
        case BankPhone.root + "history": try await service.history(request)
        case BankPhone.root + "authorize": try await service.authorize(request)
        case BankPhone.root + "cancel": try await service.reject(request)
        case "/api/push/device/register": try await service.registerPush(request)
        case "/api/inbox/count": try await service.countMessages(request)
        case "/api/inbox/message/list": try await service.messages(request)
        case "/api/inbox/message/detail": try await service.message(request)
        case "/api/inbox/message/read": try await service.readMessage(request)
        case "/api/inbox/message/read-all": try await service.readAllMessages(request)
        default: throw OperationsRefusal.invalidRequest("no such path")
        }
    }
}

/// A phone with a token; it moves its counter with every signature.
struct BankPhone: Sendable {
    static let root = "/api/auth/token/app/operation/"

    var phone: PowerAuthPhone
    let token: PowerAuthPhone.Token
    var id: String { phone.activationID }

    func call(_ path: String, _ members: JSONObject? = nil, language: String? = nil) async throws -> PowerAuthReply {
        var headers = [TokenHeader.name: phone.header(token).text]
        headers["Accept-Language"] = language
        let body: JSONValue = members.map { ["requestObject": .object($0)] } ?? [:]
        return try await phone.post(path, headers, body.bytes)
    }

    func list(language: String? = "en") async throws -> [JSONValue] {
        let reply = try await call(BankPhone.root + "list", language: language)
        try #require(reply.isOK, "list: \(reply.json.text)")
        return reply.object?.array ?? []
    }

    func listed() async throws -> [String] { try await list().compactMap { $0["id"]?.string } }

    func detail(_ order: OperationView) async throws -> PowerAuthReply {
        try await call(BankPhone.root + "detail", ["id": .string(order.id)])
    }

    func claim(_ order: OperationView) async throws -> PowerAuthReply {
        try await call(BankPhone.root + "detail/claim", ["id": .string(order.id)])
    }

    mutating func history(_ type: FactorType = .possessionKnowledge) async throws -> PowerAuthReply {
        try await phone.signed(BankPhone.root + "history", "/operation/history", [:], type)
    }

    mutating func authorize(
        _ order: OperationView, data: String? = nil, _ type: FactorType = .possessionKnowledge,
        otp: JSONValue? = Optional.none,
        more: JSONObject = [:], isWrong: Bool = false
    ) async throws -> PowerAuthReply {
        var members: JSONObject = ["id": .string(order.id), "data": .string(data ?? order.operation.data)]
        if let otp {
            members["proximityCheck"] = [
                "otp": otp, "type": "QR_CODE", "timestampReceived": "2026-01-01T12:00:00.123Z",
            ]
        }
        for (name, value) in more { members[name] = value }
        return try await phone.signed(
            BankPhone.root + "authorize", "/operation/authorize", ["requestObject": .object(members)], type,
            isWrong: isWrong)
    }

    mutating func reject(_ order: OperationView, reason: String = "UNEXPECTED_OPERATION") async throws -> PowerAuthReply
    {
        let members: JSONObject = ["id": .string(order.id), "reason": .string(reason)]
        return try await phone.signed(
            BankPhone.root + "cancel", "/operation/cancel", ["requestObject": .object(members)], .possession)
    }

    /// What it shows for an offline code.
    func answer(
        _ code: ScannedOfflineCode, _ type: FactorType = .possessionKnowledge, at counter: HashCounter? = nil,
        uriID: String = "/operation/authorize/offline"
    ) throws -> String {
        code.answer(
            keys: try #require(phone.keys).keys(type), counter: try #require(counter ?? phone.counter), uriID: uriID)
    }
}

/// What a bank has.
enum Samples {
    static let details: JSONObject = [
        "amount": "100.50", "currency": "CZK", "iban": "CZ2730300000001165254011", "note": "rent",
        "logo": "https://shop.example/l.png",
        "shop": "Shop", "about": "Books", "site": "https://shop.example/",
    ]

    static let payment: JSONValue = [
        "name": "payment", "operationType": "authorize_payment",
        "dataTemplate": "A1*A${amount}${currency}*I${iban}*N${note}", "maxFailureCount": 3,
        "allowedFactors": ["possession_knowledge", "possession_biometry"],
        "texts": [
            [
                "language": "en", "title": "Payment", "message": "Pay ${amount} ${currency} to ${iban}?",
                "resultTexts": ["success": "Paid ${amount}", "failure": "Not paid", "reject": "Rejected"],
                "attributes": [
                    [
                        "id": "operation.amount", "type": "AMOUNT", "text": "Amount",
                        "params": ["amount": "amount", "currency": "currency"],
                    ],
                    [
                        "id": "operation.account", "type": "KEY_VALUE", "text": "To account",
                        "params": ["value": "iban"],
                    ],
                    ["id": "operation.note", "type": "NOTE", "text": "Note", "params": ["note": "note"]],
                    [
                        "id": "operation.party", "type": "PARTY_INFO", "text": "Shop",
                        "params": ["logoUrl": "logo", "name": "shop", "description": "about", "websiteUrl": "site"],
                    ],
                ],
            ],
            [
                "language": "cs", "title": "Platba", "message": "Zaplatit ${amount} ${currency}?",
                "attributes": [
                    [
                        "id": "operation.amount", "type": "AMOUNT", "text": "Částka",
                        "params": ["amount": "amount", "currency": "currency"],
                    ]
                ],
            ],
        ],
    ]

    static let login = simple("login", factors: ["possession_knowledge"])
    static let notice = simple("notice", factors: ["possession"])
    static let proximity = simple(
        "near", factors: ["possession_knowledge"], ["proximityCheckEnabled": true, "maxFailureCount": 3])

    /// Data `A2`, five tries, one text.
    static func simple(_ name: String, factors: [String], _ more: JSONObject = [:], text: JSONObject = [:]) -> JSONValue
    {
        var words: JSONObject = ["language": "en", "title": "Login", "message": "Are you logging in?"]
        for (member, value) in text { words[member] = value }
        var template: JSONObject = [
            "name": .string(name), "operationType": .string(name), "dataTemplate": "A2",
            "allowedFactors": JSONValue(strings: factors),
            "maxFailureCount": 5, "texts": .array([.object(words)]),
        ]
        for (member, value) in more { template[member] = value }
        return .object(template)
    }
}
