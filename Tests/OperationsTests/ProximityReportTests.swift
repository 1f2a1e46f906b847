import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import Operations

@Suite("operations.md 1.2: what a phone tells of its proximity check is kept, and decides nothing")
struct ProximityReportTests {
    @Test(
        "times as the SDKs write them: fractions or none, Z or an offset, milliseconds; others are left out",
        arguments: [
            ("2026-01-01T12:00:00Z", 1_767_268_800_000), ("2026-01-01T12:00:00.123Z", 1_767_268_800_123),
            ("2026-01-01T12:00:00+01:00", 1_767_265_200_000), ("2026-01-01T12:00:00+0000", 1_767_268_800_000),
            (.integer(1_767_268_800_001), 1_767_268_800_001), ("yesterday", nil), ("", nil), ("+0000", nil),
            (.integer(-1), nil), (.integer(.max), nil), (.integer(.min), nil), (.number(1.5), nil), (true, nil),
            (.null, nil), (["2026-01-01T12:00:00Z"], nil), (.string(String(repeating: "9", count: 10_000)), nil),
        ] as [(JSONValue, Int?)])
    func times(written: JSONValue, milliseconds: Int?) {
        let report = ProximityReport(["type": "QR_CODE", "timestampReceived": written])

        #expect(report?.json["timestampReceived"]?.integer == milliseconds)
        #expect(report?.kind == .qrCode && report?.sent == nil)
    }

    @Test("a type that is none is left out, and where nothing is told nothing is kept")
    func kinds() {
        #expect(ProximityReport(["otp": "12345678", "type": "DEEPLINK"])?.json == ["type": "DEEPLINK"])
        #expect(ProximityReport(["otp": "12345678", "type": "TELEPATHY"]) == nil)
        #expect(ProximityReport(["otp": "12345678", "type": 7]) == nil && ProximityReport([:]) == nil)
    }

    private static let told: JSONObject = [
        "proximityCheck": [
            "type": "QR_CODE", "timestampReceived": 1_767_268_800_123, "timestampSent": 1_767_268_801_000,
        ]
    ]

    private static func check(_ otp: JSONValue) -> JSONObject {
        [
            "proximityCheck": [
                "otp": otp, "type": "QR_CODE", "timestampReceived": "2026-01-01T12:00:00.123Z",
                "timestampSent": "2026-01-01T12:00:01Z",
            ]
        ]
    }

    @Test("the back office, callbacks and the trail have it, with or without a check, and none of them the code")
    func kept() async throws {
        try await OperationsBank.with { bank in
            let service = CalledBack()
            _ = try await bank.service.addCallback(
                ["url": "https://bank.example/hook", "events": ["operation"]], by: PhoneFixture.bank)
            var phone = try await bank.phone()
            for template in ["near", "login"] {
                let order = try await bank.order("ada", template), otp = order.json["proximityOtp"] ?? "12345678"

                let done = try await phone.authorize(order, more: Self.check(otp))

                let read = try await bank.read(order)
                #expect(done.isOK && read["proximityCheck"] == Self.told["proximityCheck"])
                let detail: JSONValue = try await bank.database.value(
                    """
                    select detail from audit where node = \("operation:" + order.id) and action = 'operations.approve'
                    """)
                #expect(detail["proximity"] == Self.told["proximityCheck"])
                #expect(!detail.text.contains(otp.string ?? "") && !read.text.contains(otp.string ?? ""))
            }
            let sender = CallbackSender(bank.service, http: service.http, logger: .quiet)
            for _ in 0..<20 { guard try await sender.sendDue() > 0 else { break } }
            let approved = service.bodies.filter { $0["type"] == "operation.approved" }
            #expect(approved.count == 2)
            #expect(approved.allSatisfy { $0["data"]?["proximityCheck"] == Self.told["proximityCheck"] })
        }
    }

    @Test("the way by which refusals go keeps it too: what a wrong code came with stands in the trail alone")
    func refused() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order("ada", "near")

            let wrong = try await phone.authorize(order, more: Self.check("abcdefgh"))
            let right = try await phone.authorize(order, otp: order.json["proximityOtp"])

            let detail: JSONValue = try await bank.database.value(
                """
                select detail from audit where node = \("operation:" + order.id) and action = 'operations.attempt'
                """)
            let read = try await bank.read(order)
            #expect(wrong.code == "OPERATION_FAILED" && right.isOK)
            #expect(detail["proximity"] == Self.told["proximityCheck"] && detail["failures"] == 1)
            #expect(read["proximityCheck"] == ["type": "QR_CODE", "timestampReceived": 1_767_268_800_123])
        }
    }

    @Test(
        "a report that says anything else approves all the same", arguments: ["x", 7, [], ["a": .null]] as [JSONValue])
    func hostile(junk: JSONValue) async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order("ada", "near")
            let check: JSONObject = [
                "proximityCheck": [
                    "otp": order.json["proximityOtp"] ?? .null, "type": junk, "timestampReceived": junk,
                    "timestampSent": junk,
                ]
            ]

            let done = try await phone.authorize(order, more: check)

            let read = try await bank.read(order)
            let expected: JSONValue? =
                junk == 7 ? ["timestampReceived": 7, "timestampSent": 7] : JSONValue?.none
            #expect(done.isOK && read["proximityCheck"] == expected)
        }
    }
}
