import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Operations

@Suite("backoffice.md: apps that ask their person, the server's own templates, and what is kept")
struct OperationPeopleTests {
    /// An app token as a service issues it, in the name of `ada`, and a phone of hers for the server's application.
    private func app(
        _ bank: OperationsBank, person: String = "ada"
    ) async throws -> (app: OperationsCaller, token: TokenRow) {
        let token = try await bank.tree.child(
            of: try await bank.tree.instance("phone of \(person)"), .appToken, refresh: .init()
        ).row
        return (
            .app(
                person: person, token: token,
                actor: AuditActor(name: "bundle:com.example.app", origin: "198.51.100.7")),
            token
        )
    }

    private func register(_ bank: OperationsBank, of caller: OperationsCaller) async throws -> BankPhone {
        let config = try #require(try await bank.fixture.service.idpApplication().sdkConfig)
        let server = OperationsBank(
            fixture: PhoneFixture(tree: bank.tree, service: bank.fixture.service, sdkConfig: config),
            service: bank.service)
        let started = try await bank.fixture.service.startRegistration(
            try PhoneRegistrationDraft(userID: nil, commitPhase: .onKeyExchange), by: caller)
        return try await server.phone(started)
    }

    private static let asked: JSONObject = [
        "title": "Delete the archive?", "message": "It cannot be undone.", "app": "the server itself",
        "address": "nowhere",
    ]

    @Test("an app asks its own person alone, with the built-in template; who asks and from where is the server's word")
    func asking() async throws {
        try await OperationsBank.with { bank in
            let (ada, _) = try await app(bank), (bob, _) = try await app(bank, person: "bob")
            var phone = try await register(bank, of: ada)
            let other = await backOfficeRefusal {
                _ = try await bank.order("bob", "approval", parameters: Self.asked, by: ada)
            }
            let login = await backOfficeRefusal {
                _ = try await bank.order(nil, "login", parameters: ["service": "x", "address": "y"], by: ada)
            }

            let order = try await bank.order(nil, "approval", parameters: Self.asked, by: ada)
            let shown = try await phone.list(language: "de").first?["formData"],
                english = try await phone.list().first?["formData"]
            let strange = await backOfficeRefusal { _ = try await bank.service.operation(order.id, for: bob) }
            let approved = try await phone.authorize(order),
                after = try await bank.service.operation(order.id, for: ada)

            #expect(
                other == "ERROR_REQUEST" && login == "ERROR_TEMPLATE_NOT_FOUND"
                    && strange == "ERROR_OPERATION_NOT_FOUND")
            #expect(order.json["userId"] == "ada")
            #expect(
                shown?["title"] == "bundle:com.example.app fragt an"
                    && english?["title"] == "bundle:com.example.app asks")
            #expect(english?["message"] == "Delete the archive?\nIt cannot be undone.")
            #expect(english?["attributes"]?.array?.map { $0["value"] } == ["bundle:com.example.app", "198.51.100.7"])
            #expect(approved.isOK && after.json["status"] == "APPROVED")
        }
    }

    @Test(
        "when the app token ends, so does what it asked: read at once, told by the worker, and no phone approves it",
        arguments: [true, false])
    func revoked(aboveIt: Bool) async throws {
        try await OperationsBank.with { bank in
            let (ada, token) = try await app(bank)
            var phone = try await register(bank, of: ada)
            let order = try await bank.order(nil, "approval", parameters: Self.asked, by: ada)
            let early = try await bank.order(nil, "approval", parameters: Self.asked, by: ada)
            let done = try await phone.authorize(early)

            try await bank.tree.revocation.revoke(
                aboveIt ? .virtual(Ancestor(.instance, "phone of ada")) : .token(token.family), by: .server)
            let listed = try await phone.listed(), refused = try await phone.authorize(order)
            let read = try await bank.service.operation(order.id, for: PhoneFixture.operators),
                kept = try await bank.service.operation(early.id, for: PhoneFixture.operators)
            bank.time.advance(301)
            let later = try await bank.service.operation(order.id, for: PhoneFixture.operators),
                count = try await bank.service.expire()
            let written: String = try await bank.database.value(
                "select status from phone_operation where id = \(order.id)")

            #expect(done.isOK && listed.isEmpty && refused.isRefused("OPERATION_ALREADY_CANCELED"))
            #expect(
                read.json["status"] == "CANCELED" && read.json["statusReason"] == "TOKEN_ENDED"
                    && kept.json["status"] == "APPROVED")
            #expect(later.json["status"] == "CANCELED" && count == 1 && written == "CANCELED")
        }
    }

    @Test("a token that ends after the operation expired changes nothing any more")
    func revokedLate() async throws {
        try await OperationsBank.with { bank in
            let (ada, token) = try await app(bank),
                order = try await bank.order(nil, "approval", parameters: Self.asked, by: ada)
            bank.time.advance(301)

            try await bank.tree.revocation.revoke(.token(token.family), by: .server)

            let read = try await bank.service.operation(order.id, for: PhoneFixture.operators)
            #expect(read.json["status"] == "EXPIRED")
        }
    }

    @Test("the server's own templates are complete in four languages", arguments: ["login", "approval"])
    func builtIn(name: String) throws {
        let template = try #require(try BuiltInTemplates.named(name))

        #expect(template.texts.map(\.language) == ["en", "de", "fr", "it"])
        for text in template.texts {
            #expect(
                text.attributes.map(\.id) == template.texts[0].attributes.map(\.id)
                    && text.needed.sorted() == template.texts[0].needed.sorted())
            #expect(
                text.resultTexts?.names == ["success", "failure", "reject"]
                    && text.attributes.allSatisfy { !$0.label.isEmpty })
        }
        let unknown = try BuiltInTemplates.named("other")
        #expect(unknown == nil)
    }

    @Test(
        """
        the server asks with its template, made once however many ask first, and made anew when a version of Pando \
        says otherwise
        """
    )
    func server() async throws {
        try await OperationsBank.with { bank in
            let server = OperationsCaller.identityProvider(.server),
                parameters: JSONObject = ["service": "Pando", "address": "192.0.2.9", "code": "4711"]

            _ = try await crowd(8) { _ in
                try await bank.order("someone", "login", parameters: parameters, by: server).id
            }
            let rows: Int = try await bank.database.value(
                "select count(*) from operation_template where owner = 'house'")
            _ = try await bank.database.execute("update operation_template set max_failures = 1 where owner = 'house'")
            let order = try await bank.order("someone", "login", parameters: parameters, by: server)

            #expect(rows == 1)
            #expect(order.json["maxFailureCount"] == 5 && order.operation.data == "A2*RPando*T192.0.2.9")
        }
    }

    @Test(
        """
        what the server asks of nobody yet is not for phones that apps registered, though they are in the same \
        application
        """
    )
    func populations() async throws {
        try await OperationsBank.with { bank in
            let (ada, _) = try await app(bank)
            var phone = try await register(bank, of: ada)
            let order = try await bank.order(
                nil, "login", parameters: ["service": "Pando", "address": "192.0.2.9"], by: .identityProvider(.server))

            let replies = [
                try await phone.detail(order), try await phone.claim(order), try await phone.authorize(order),
                try await phone.reject(order),
            ]
            let after = try await bank.service.operation(order.id, for: PhoneFixture.operators).json

            for reply in replies { #expect(reply.isRefused("INVALID_REQUEST")) }
            #expect(after["status"] == "PENDING" && after["userId"] == nil && after["failureCount"] == 0)
        }
    }

    @Test("an operation for a user without a name is refused, lest it were for whoever comes first")
    func nameless() async throws {
        try await OperationsBank.with { bank in
            let refused = await backOfficeRefusal { _ = try await bank.order("") }

            let count: Int = try await bank.database.value("select count(*) from phone_operation")
            #expect(refused == "ERROR_REQUEST" && count == 0)
        }
    }

    @Test("seeds and callback secrets are sealed anew; the old key opens them no longer, the new one does")
    func reseal() async throws {
        try await OperationsBank.with { bank in
            let order = try await bank.order("ada", "near"), successor = try PhoneFixture.key(2)
            _ = try await bank.service.addCallback(["url": "https://bank.example/"], by: PhoneFixture.bank)
            let plain = try await bank.order("ada", "login")

            _ = try await bank.database.atomically { transaction in
                try await bank.fixture.service.reseal(under: successor, in: transaction)
            }

            let other = OperationsBank.service(bank.tree, master: successor)
            let read = try await other.operation(order.id, for: PhoneFixture.bank),
                unsealed = try await bank.service.operation(plain.id, for: PhoneFixture.bank)
            await #expect(throws: ForeignSeal.self) {
                try await bank.service.operation(order.id, for: PhoneFixture.bank)
            }
            #expect(read.json["proximityOtp"] == order.json["proximityOtp"] && unsealed.id == plain.id)
            let left: Int = try await bank.database.value(
                """
                select (select count(*) from phone_operation where sealed_by <> \(successor.id))
                     + (select count(*) from operations_callback where sealed_by <> \(successor.id))
                """)
            #expect(left == 0)
        }
    }

    @Test("what has been over for long goes, what is not stays")
    func tidying() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), old = try await bank.order()
            _ = try await bank.service.offlineCode(old.id, registration: phone.id, for: PhoneFixture.bank)
            try await bank.cancel(old)
            _ = try await bank.service.replaceTemplate("payment", Samples.payment, by: PhoneFixture.bank)
            bank.time.advance(TidyOperations.operationsKept + 1)
            let fresh = try await bank.order(nil)

            try await bank.service.tidy()
            try await bank.service.tidy()

            let gone = await backOfficeRefusal { _ = try await bank.service.operation(old.id, for: PhoneFixture.bank) },
                kept = try await bank.status(fresh)
            let nonces: Int = try await bank.database.value("select count(*) from phone_offline_nonce")
            let templates: Int = try await bank.database.value(
                "select count(*) from operation_template where replaced_at is not null")
            #expect(gone == "ERROR_OPERATION_NOT_FOUND" && kept == "PENDING" && nonces == 0 && templates == 0)
        }
    }

    @Test(
        "operations are found by user, by the caller's own id, and by what they read as",
        arguments: OperationStatus.allCases)
    func finding(status: OperationStatus) async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let approved = try await bank.order(), rejected = try await bank.order(), failed = try await bank.order(),
                canceled = try await bank.order()
            let approval = try await phone.authorize(approved), rejection = try await phone.reject(rejected)
            for _ in 0..<3 { _ = try await phone.authorize(failed, data: "x") }
            try await bank.cancel(canceled)
            _ = try await bank.order()
            bank.time.advance(301)
            _ = try await bank.order("ada", "payment", ["externalId": "ext-1"])

            let found = try await bank.service.operations(
                try OperationFilter(userID: "ada", externalID: nil, status: status.rawValue), for: PhoneFixture.bank)
            let external = try await bank.service.operations(
                try OperationFilter(userID: nil, externalID: "ext-1", status: nil), for: PhoneFixture.bank)

            #expect(approval.isOK && rejection.isOK)
            #expect(found.map { $0.json["status"]?.string } == [status.rawValue])
            #expect(
                external.map { $0.json["status"]?.string } == ["PENDING"]
                    && external.first?.json["parameters"] == .object(Samples.details))
            #expect(throws: BackOfficeRefusal.self) {
                try OperationFilter(userID: nil, externalID: nil, status: "pending")
            }
        }
    }
}
