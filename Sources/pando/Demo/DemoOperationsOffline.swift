import Base
import Foundation
import Simulators

/// The step of the walk that takes no network.
extension DemoOperationsJourney {
    mutating func approveOffline(_ phone: inout DemoActivation, _ registration: String) async throws {
        let order = try await ask("58.20", "CH4431999123000889012", "Demo railways")
        let shown = try await send(
            bank.ask("GET", "/v2/operations/\(order.id)/offline/qr?registrationId=\(registration)"))
        let text = try shown.text("operationQrCodeData"), nonce = try shown.text("nonce")
        teller.tell(
            "Now the phone has no network. The bank shows the payment itself as a QR code, signed for this one phone.",
            before: [order.exchange], shown,
            facts: ["operation": .string(order.id), "nonce": .string(nonce)])
        teller.show(text)
        guard let code = phone.scan(text) else {
            throw DemoFailure.unexpected(shown, "a phone would not trust that code")
        }
        let digits = phone.answer(code, pin: DemoOperationsJourney.pin)
        let exchange = try await send(
            bank.ask(
                "POST", "/v2/operations/\(order.id)/offline/otp",
                [
                    "otp": .string(digits), "nonce": .string(nonce), "registrationId": .string(registration),
                ])
        ).good()
        guard exchange.body["otpValid"]?.bool == true else {
            throw DemoFailure.unexpected(exchange, "the right digits approved nothing")
        }
        let after = try await state(order, is: "APPROVED")
        teller.tell(
            "The phone reads and checks it, and after the PIN shows sixteen digits. Its owner types them at the bank.",
            exchange, after: [after],
            facts: [
                "title": .string(code.title), "message": .string(code.message), "typed": .string(digits),
                "status": "APPROVED",
                "signed_by": exchange.body["signatureType"] ?? .null,
            ])
    }
}
