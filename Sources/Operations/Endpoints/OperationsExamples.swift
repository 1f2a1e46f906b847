import Base

/// What stands in `/openapi.yaml` to look at: members of `/v2` and of what phones send, by their names
/// (`OpenAPIExamples`). Nothing of it verifies.
enum OperationsExamples {
    private static let time: JSONValue = 1_795_000_000_000, later: JSONValue = 1_795_000_300_000
    private static let operation: JSONValue = "019a9f5e-6c1d-7c3a-9b0e-2f4d6a8c0e12"
    private static let registration: JSONValue = "4c1f2a5e-8b7d-4e0a-9f6c-3d2b1a0e9c8f"
    private static let data: JSONValue = "A1*A100.00EUR*ICH9300762011623852957"

    static let backOffice: JSONObject = [
        "OperationsError.status": "ERROR", "code": "ERROR_REQUEST",
        "OperationsErrorObject.message": "userId is missing",
        // Applications.
        "appId": "bank", "Application.name": "Bank", "NewApplication.name": "Bank", "protocols": ["3.3", "4.0"],
        "algorithms": ["EC_P384_ML_L3"], "blockMinutes": [5, 15, 60], "applicationKey": "dGhlIGFwcGxpY2F0aW9uIQ",
        "applicationSecret": "dGhlIHNlY3JldCBvZiBpdA", "supported": true,
        // Push.
        "NewPushCredentials": [
            "teamId": "A1B2C3D4E5", "keyId": "F6G7H8J9K0", "topic": "org.example.bank",
            "key": "-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n",
        ],
        "PushCredentials": [
            "provider": "apns", "teamId": "A1B2C3D4E5", "keyId": "F6G7H8J9K0", "topic": "org.example.bank",
            "timestampCreated": time,
        ],
        // Templates.
        "Template.name": "payment", "operationType": "authorize_payment",
        "dataTemplate": "A1*A${amount}${currency}*I${iban}",
        "maxFailureCount": 3, "expiration": 300, "language": "en", "title": "Payment",
        "TemplateText.message": "Pay ${amount} ${currency}",
        "TemplateAttribute.type": "AMOUNT", "TemplateAttribute.text": "Amount",
        "TemplateAttribute.params": ["amount": "amount", "currency": "currency"],
        "TemplateAttribute.id": "amount",
        "TemplateText.attributes": [
            [
                "id": "amount", "type": "AMOUNT", "text": "Amount",
                "params": ["amount": "amount", "currency": "currency"],
            ]
        ],
        // Registrations.
        "NewRegistration": ["userId": "ada", "appId": "bank"],
        "RegistrationChange": ["change": "BLOCK", "blockedReason": "LOST"], "Registration.flags": [],
        "StartedRegistration.timestampRegistrationExpire": later, "Registration.protocol": "3.3",
        "userId": "ada", "registrationId": registration, "activationCode": "VVVVV-VVVVV-VVVVV-VTFVA",
        "activationCodeSignature": "c2lnbmF0dXJl", "activationQrCodeData": "VVVVV-VVVVV-VVVVV-VTFVA#c2lnbmF0dXJl",
        "registrationStatus": "ACTIVE",
        "algorithm": "P256", "activationName": "Ada's phone", "platform": "ios",
        "failedAttempts": 0, "maxFailedAttempts": 5, "remainingAttempts": 5,
        "RegistrationStatus.status": "BLOCKED",
        "RegistrationCommit.otp": "12345678",
        // Operations.
        "NewOperation": [
            "userId": "ada", "template": "payment", "language": "de", "externalId": "payment-4711",
            "parameters": ["amount": "100.00", "currency": "EUR", "iban": "CH9300762011623852957"],
        ],
        "Operation.externalId": "payment-4711", "Operation.timestampExpires": later,
        "ProximityCode.timestampExpires": later, "OperationAttribute.id": "note",
        "operationId": operation, "Operation.template": "payment",
        "Operation.status": "PENDING", "data": data,
        "parameters": ["amount": "100.00", "currency": "EUR", "iban": "CH9300762011623852957"],
        "failureCount": 0, "timestampCreated": time,
        "OperationAttribute.type": "NOTE", "label": "Note",
        "ProximityCode.otp": "12345678",
        "deeplink": "bank://operation?oid=019a9f5e-6c1d-7c3a-9b0e-2f4d6a8c0e12&potp=12345678",
        "jwt": "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.e30.",
        "operationQrCodeData": "5ff1b1ed\nPayment\nPay 100 EUR\nA1*A100EUR\n2\nYWRkYmVlZmFkZGJlZWYwMQ\n1c2lnbmF0dXJl",
        "nonce": "YWRkYmVlZmFkZGJlZWYwMQ", "OfflineAnswer.otp": "12345678-90123456", "otpValid": true,
        "OfflineVerdict.signatureType": "possession_knowledge",
        // Callbacks.
        "NewCallback.events": ["operation", "registration"], "Callback.events": ["operation", "registration"],
        "url": "https://bank.example.org/hook",
        "Callback.id": "019a9f5e-7a00-7000-8000-000000000001", "secret": "whsec_dGhlIHNlY3JldA",
        "Delivery.id": "019a9f5e-7a00-7000-8000-000000000002", "Delivery.type": "operation.approved",
        "Delivery.subject": operation,
        "Delivery.status": "DELIVERED", "tries": 1, "timestampDelivered": time,
        "event": "019a9f5e-7a00-7000-8000-000000000002", "Redelivered.events": 1,
        // Messages.
        "subject": "New terms", "summary": "From December", "body": "From 1 December our terms are new.",
        "NewMessage.type": "text", "Message.type": "text", "Message.id": "019a9f5e-7a00-7000-8000-000000000003",
        "read": false, "timestamp": time,
    ]

    // MARK: Phones

    static let question: JSONValue = ["requestObject": ["activationId": registration]]
    static let phones: JSONObject = [
        "PhoneSubjectObject.id": operation, "PhoneApprovalObject.id": operation, "PhoneRejectionObject.id": operation,
        "PhoneApprovalObject.data": data, "PhoneRejectionObject.reason": "UNEXPECTED_OPERATION",
        "PushRegistrationObject.platform": "ios", "token": "dGhlIHB1c2ggdG9rZW4", "page": 0, "size": 50,
        "PowerAuthPlainAnswer.responseObject": ["activationId": registration, "activationStatus": "c3RhdHVz"],
        "PhoneAnswer.responseObject": [["id": operation, "name": "payment", "data": data, "status": "PENDING"]],
    ]
}
