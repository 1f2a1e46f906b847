import Base

/// What the demo's bank asks for: a payment, with its words on the phone (docs/operations.md).
enum DemoPaymentTemplate {
    static let name = "payment"

    static let body: JSONObject = [
        "name": .string(name), "operationType": "authorize_payment",
        "dataTemplate": "A1*A${amount}${currency}*I${iban}*N${note}",
        "texts": [
            [
                "language": "en", "title": "Payment", "message": "Pay ${amount} ${currency} to ${note}?",
                "resultTexts": ["success": "Paid", "failure": "Not paid", "reject": "Rejected"],
                "attributes": [
                    [
                        "id": "amount", "type": "AMOUNT", "text": "Amount",
                        "params": ["amount": "amount", "currency": "currency"],
                    ],
                    ["id": "account", "type": "KEY_VALUE", "text": "To account", "params": ["value": "iban"]],
                ],
            ]
        ],
    ]
}
