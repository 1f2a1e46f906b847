import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Tiqr

@Suite("tiqr: identifiers with apps of their own")
struct TiqrIdentifierTests {
    static let suite = "OCRA-1:HOTP-SHA1-6:QH10-S"

    /// The head of a picture, which is all that is read.
    static func png(_ width: UInt8, _ height: UInt8) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
            + [0, 0, 0, width, 0, 0, 0, height, 8, 6, 0, 0, 0, 0, 0, 0, 0]
    }

    static func jpeg(_ width: UInt8, _ height: UInt8) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC0, 0, 11, 8, 0, height, 0, width, 1, 1, 0x11, 0, 0xFF, 0xD9]
    }

    static func draft(
        _ name: String = "eduid.example", app: String? = nil, base: String? = nil
    ) -> IdentifierDraft {
        var draft = IdentifierDraft(identifier: name, displayName: "eduID", suite: suite)
        draft.traits = IdentifierTraits(
            infoURL: "https://eduid.example/info", enrollScheme: "eduidenroll", authScheme: "eduidauth",
            linkBase: base, app: app)
        return draft
    }

    private func update(
        _ fixture: TiqrFixture, _ name: String = "eduid.example", displayName: String? = nil,
        logo: IdentifierLogo? = nil, isDefault: Bool? = nil, _ change: (inout IdentifierTraits) -> Void = { _ in }
    ) async throws -> ServiceIdentifier {
        try await fixture.service.identifiers.update(
            name, displayName: displayName, logo: logo, isDefault: isDefault, by: TiqrFixture.operators,
            in: fixture.database, change)
    }

    @Test("one server serves two apps: each identifier has its schemes, name, logo and suite, and its phones log in")
    func twoApps() async throws {
        try await TiqrFixture.with { fixture in
            var draft = Self.draft(base: "https://app.eduid.example")
            draft.logo = try IdentifierLogo(Self.png(200, 100))
            _ = try await fixture.service.addIdentifier(draft, by: TiqrFixture.operators)

            let other = try await fixture.service.startEnrollment(
                EnrollmentDraft(displayName: "Ada"), by: TiqrFixture.shop)
            let started = try await fixture.service.startEnrollment(
                EnrollmentDraft(displayName: "Ada", identifier: "eduid.example"), by: TiqrFixture.shop)
            let key = TiqrFixture.value("enrollment_key", in: started.metadataURL)
            let app = try await fixture.service.app(enrollmentKey: key)
            let metadata = try #require(try await fixture.service.metadata(key: key))

            #expect(other.enrollURL.hasPrefix("tiqrenroll://https://id.example/"))
            #expect(started.enrollURL.hasPrefix("eduidenroll://https://id.example/"))
            #expect(started.universalLink.hasPrefix("https://app.eduid.example/tiqrenroll/?metadata=https%3A%2F%2F"))
            #expect(app?.enrollScheme == "eduidenroll", "looking uses no key up")
            #expect(metadata["service"]?["displayName"] == "eduID")
            #expect(
                metadata["service"]?["logoUrl"]
                    == "https://id.example/services/tiqr/identifiers/eduid.example/logo")
            #expect(metadata["service"]?["infoUrl"] == "https://eduid.example/info")
            #expect(metadata["service"]?["ocraSuite"] == .string(Self.suite))
            #expect(try await fixture.service.logo(of: "eduid.example")?.type == "image/png")
            #expect(try await fixture.service.logo(of: "id.example") == nil)

            let phone = try await fixture.enroll(identifier: "eduid.example"),
                login = try await fixture.challenge(phone)
            #expect(login.authURL.hasPrefix("eduidauth://"))
            #expect(login.universalLink.hasPrefix("https://app.eduid.example/tiqrauth/?"))
            let answer = try await fixture.send(try phone.right(login, suite: Self.suite), phone, to: login)
            #expect(answer == .authenticated)
        }
    }

    @Test("name and logo change until a phone has read them, and never afterwards, in SQL either; schemes still do")
    func pinned() async throws {
        try await TiqrFixture.with { fixture in
            _ = try await fixture.service.addIdentifier(Self.draft(), by: TiqrFixture.operators)
            let before = try await update(
                fixture, displayName: "eduID app", logo: try IdentifierLogo(Self.jpeg(20, 20)))
            _ = try await fixture.enroll(identifier: "eduid.example")

            let refused = await #expect(throws: TiqrRefusal.self) {
                try await update(fixture, displayName: "Other")
            }
            await #expect(throws: TiqrRefusal.self) {
                try await update(fixture, logo: try IdentifierLogo(Self.png(20, 20)))
            }
            await #expect(throws: DatabaseError.violation(constraint: "tiqr_identifier_is_frozen")) {
                try await fixture.database.execute(
                    "update tiqr_identifier set display_name = 'x' where identifier = 'eduid.example'")
            }
            let after = try await update(fixture) { $0.enrollScheme = "neweduid" }

            #expect(before.displayName == "eduID app" && !before.isUsed)
            #expect(refused?.status == 409 && refused?.description.contains("never change") == true)
            #expect(after.isUsed && after.displayName == "eduID app" && after.app.enrollScheme == "neweduid")
        }
    }

    @Test("of eight that become the default at once one is it in the end, and each answer was true")
    func defaults() async throws {
        try await TiqrFixture.with { fixture in
            let names = (0..<8).map { "eduid\($0).example" }
            for name in names {
                _ = try await fixture.service.addIdentifier(Self.draft(name), by: TiqrFixture.operators)
            }
            for _ in 0..<2 {
                let became = try await crowd(names.count) { number in
                    try await fixture.database.atomically { transaction in
                        try await fixture.service.identifiers.update(
                            names[number], displayName: nil, logo: nil, isDefault: true, by: TiqrFixture.operators,
                            in: transaction
                        ) { _ in }
                    }
                }
                let all = try await fixture.service.allIdentifiers(), chosen = all.filter(\.isDefault)

                #expect(became.map(\.identifier) == names && became.allSatisfy(\.isDefault))
                #expect(chosen.count == 1 && all.first?.isDefault == true && all.first?.identifier != "id.example")
            }
        }
    }

    @Test("the default is taken where none is named; a retired one enrolls nobody, and its phones go on")
    func retires() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll()
            _ = try await fixture.service.addIdentifier(Self.draft(), by: TiqrFixture.operators)
            await #expect(throws: TiqrRefusal.self, "the default") {
                try await fixture.service.identifiers.retire(
                    "id.example", by: TiqrFixture.operators, in: fixture.database)
            }

            _ = try await update(fixture, isDefault: true)
            let retired = try await fixture.service.identifiers.retire(
                "id.example", by: TiqrFixture.operators, in: fixture.database)
            let again = try await fixture.service.identifiers.retire(
                "id.example", by: TiqrFixture.operators, in: fixture.database)

            #expect(retired.became.isRetired && !retired.already && again.already)
            let all = try await fixture.service.allIdentifiers()
            #expect(all.map(\.identifier) == ["eduid.example", "id.example"] && all.map(\.isDefault) == [true, false])
            let started = try await fixture.service.startEnrollment(
                EnrollmentDraft(displayName: "Ada"), by: TiqrFixture.shop)
            #expect(started.enrollURL.hasPrefix("eduidenroll://"))
            await #expect {
                try await fixture.service.startEnrollment(
                    EnrollmentDraft(displayName: "Ada", identifier: "id.example"), by: TiqrFixture.shop)
            } throws: { ($0 as? TiqrRefusal)?.status == 409 }
            let login = try await fixture.challenge(phone)
            #expect(try await fixture.send(try phone.right(login), phone, to: login) == .authenticated)
        }
    }

    @Test("a person may choose among the apps that have a name, once there are two")
    func choice() async throws {
        try await TiqrFixture.with { fixture in
            let phones = TiqrLogin(fixture.service), account = UUID()
            _ = try await fixture.service.addIdentifier(Self.draft(app: "eduID"), by: TiqrFixture.operators)
            #expect(try await phones.apps().isEmpty)

            _ = try await update(fixture, "id.example") { $0.app = "tiqr" }
            let apps = try await phones.apps()
            let chosen = try await phones.enroll(
                account, displayName: "Ada", app: "eduid.example", below: [], actor: .server)

            #expect(apps.map(\.name) == ["tiqr", "eduID"])
            #expect(chosen.enrollURL.hasPrefix("eduidenroll://"))
            await #expect {
                try await phones.enroll(account, displayName: "Ada", app: "x.example", below: [], actor: .server)
            } throws: { ($0 as? TiqrRefusal)?.status == 400 }
        }
    }

    @Test(
        "what no app can use is refused",
        arguments: [
            IdentifierTraits(enrollScheme: "eduidenroll"), IdentifierTraits(authScheme: "eduidauth"),
            IdentifierTraits(enrollScheme: "https", authScheme: "eduidauth"),
            IdentifierTraits(enrollScheme: "a b", authScheme: "eduidauth"),
            IdentifierTraits(enrollScheme: "eduidenroll", authScheme: "javascript"),
            IdentifierTraits(linkBase: "http://eduid.example"), IdentifierTraits(linkBase: "https://eduid.example/"),
            IdentifierTraits(linkBase: "https://eduid.example/x"), IdentifierTraits(linkBase: "javascript:x"),
            IdentifierTraits(infoURL: "javascript:alert(1)"), IdentifierTraits(app: ""),
            IdentifierTraits(app: "a\nb"), IdentifierTraits(app: String(repeating: "x", count: 41)),
        ])
    func traits(_ traits: IdentifierTraits) {
        let refused = #expect(throws: TiqrRefusal.self) { try traits.check() }

        #expect(refused?.status == 400)
    }

    @Test("a logo is PNG or JPEG of 250 by 250 pixels at most")
    func logos() throws {
        #expect(try IdentifierLogo(Self.png(250, 250)).type == "image/png")
        #expect(try IdentifierLogo(Self.jpeg(250, 1)).type == "image/jpeg")
        let refused: [[UInt8]] = [
            [], Self.png(251, 250), Self.png(250, 251), Self.png(0, 1), Self.jpeg(1, 251), Self.jpeg(0, 1),
            Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), Array(Self.png(1, 1).prefix(24)),
            [0xFF, 0xD8, 0xFF], [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 4_000),
            [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0],
            Self.png(1, 1) + [UInt8](repeating: 0, count: IdentifierLogo.mostBytes),
        ]
        for bytes in refused { #expect(throws: TiqrRefusal.self) { try IdentifierLogo(bytes) } }
    }
}
