import HTTP

/// What `/v2` takes and tells, by name (design/backoffice.md, operations). Members that are not always there are not
/// marked; times are milliseconds.
extension EndpointShape {
    /// What the back office takes and gives.
    static func ofOperations(
        query: [String] = [], headers: [String] = [], body: String? = nil, answer: String? = nil, status: Int = 200,
        isBodyNeeded: Bool? = nil, others: [OtherAnswer] = [], errors: [Int] = [409], otherTypes: [String: String] = [:]
    ) -> EndpointShape {
        // 401 and 403 say how to do better, as everywhere (`OperationsErrors`).
        let error = OtherAnswer("default", "An error", OpenAPISchema.operationsError)
        return EndpointShape(
            query: query, headers: headers + [proof], body: body, answer: answer, status: status,
            meanings: [proof: proofMeaning], isBodyNeeded: isBodyNeeded ?? (body != nil),
            otherTypes: otherTypes,
            answerHeaders: status == 201 ? ["Location": "Where it can be read."] : [:],
            others: others + [.oauthError(401), .oauthError(403), error], errors: errors)
    }
}

extension OpenAPISchema {
    fileprivate static let operationsError = "OperationsError"

    static let operations = [
        OpenAPISchema(operationsError, "status! responseObject:OperationsErrorObject!"),
        OpenAPISchema("OperationsErrorObject", "code! message!"),

        OpenAPISchema("NewApplication", "appId! name"),
        OpenAPISchema(
            "Application",
            """
            appId! name! protocols:[string]! algorithms:[string]! sdkConfig blockMinutes:[integer]! \
            versions:[ApplicationVersion]!
            """),
        OpenAPISchema("ApplicationVersion", "applicationKey! applicationSecret! supported:boolean!"),
        OpenAPISchema("ProtocolChoice", "protocols:[string]! algorithms:[string]"),
        OpenAPISchema("Applications", "applications:[Application]!"),
        OpenAPISchema("VersionChange", "supported:boolean!"),
        OpenAPISchema("BlockChange", "blockMinutes:[integer]!"),
        OpenAPISchema("NewPushCredentials", "teamId keyId topic key account:object appId clientSecret"),
        OpenAPISchema(
            "PushCredentials",
            """
            provider! teamId keyId topic projectId clientEmail appId timestampCreated:integer! \
            timestampRefused:integer refusal
            """),
        OpenAPISchema("PushCredentialsList", "push:[PushCredentials]!"),

        OpenAPISchema(
            "Template",
            """
            name! operationType! dataTemplate! allowedFactors:[string] maxFailureCount:integer expiration:integer \
            riskFlags proximityCheckEnabled:boolean offlineUriId customProperties:object \
            texts:[TemplateText]!
            """),
        OpenAPISchema(
            "TemplateText", "language! title! message! resultTexts:object ui:object attributes:[TemplateAttribute]"),
        OpenAPISchema("TemplateAttribute", "id! type! text! params:object"),
        OpenAPISchema("Templates", "templates:[Template]!"),

        OpenAPISchema(
            "NewRegistration",
            "userId appId otp otpValidation commitPhase flags:[string] timestampRegistrationExpire:integer protocol"),
        OpenAPISchema(
            "StartedRegistration",
            """
            registrationId! activationCode! activationCodeSignature! activationQrCodeData! \
            timestampRegistrationExpire:integer! qr
            """),
        OpenAPISchema(
            "Registration",
            """
            registrationId! registrationStatus! userId! appId! protocol! algorithm! activationFingerprint \
            activationName platform deviceInfo flags:[string]! failedAttempts:integer! maxFailedAttempts:integer! \
            blockedReason timestampBlockedUntil:integer timestampCreated:integer! timestampLastUsed:integer
            """),
        OpenAPISchema("Registrations", "registrations:[Registration]! next"),
        OpenAPISchema("RegistrationCommit", "externalUserId otp"),
        OpenAPISchema("RegistrationChange", "change! blockedReason flags:[string]"),
        OpenAPISchema("RegistrationStatus", "status!"),

        OpenAPISchema(
            "NewOperation",
            """
            userId template! appId language externalId flag registrationId timestampExpires:integer \
            parameters:object additionalData:object customProperties:object attributes:[OperationAttribute] \
            offlineUriId proximityCheckEnabled:boolean silent:boolean
            """),
        OpenAPISchema(
            "Operation",
            """
            operationId! userId status! statusReason operationType! template! data! parameters:object! externalId \
            failureCount:integer! maxFailureCount:integer! \
            timestampCreated:integer! timestampExpires:integer! timestampFinalized:integer proximityOtp \
            additionalData:object customProperties:object attributes:[OperationAttribute] offlineUriId \
            rejectReason mobileTokenData:object proximityCheck:ProximityReport \
            registrationId signatureType
            """),
        OpenAPISchema(
            "OperationAttribute", "Beside these, fields of its type: strings, numbers and booleans.",
            ["id!": "", "type!": "One of the SDK's, or the app's own.", "label": "What the phone shows before it."]),
        OpenAPISchema(
            "ProximityReport", "What the phone told. Times are by its own clock.",
            ["type": "QR_CODE or DEEPLINK.", "timestampReceived:integer": "", "timestampSent:integer": ""]),
        OpenAPISchema("Operations", "operations:[Operation]!"),
        OpenAPISchema("ProximityCode", "otp! deeplink! jwt! timestampExpires:integer! qr"),
        OpenAPISchema("OfflineCode", "operationQrCodeData! nonce! qr"),
        OpenAPISchema("OfflineAnswer", "otp! nonce! registrationId!"),
        OpenAPISchema(
            "OfflineVerdict",
            "otpValid:boolean! userId! registrationId! registrationStatus! signatureType remainingAttempts:integer!"),

        OpenAPISchema("NewCallback", "url! events:[string] attributes:[string]"),
        OpenAPISchema("Callback", "id! url! events:[string]! attributes:[string] secret timestampCreated:integer!"),
        OpenAPISchema("Callbacks", "callbacks:[Callback]!"),
        OpenAPISchema(
            "Delivery",
            """
            id! type! subject! status! tries:integer! timestampCreated:integer! timestampNextTry:integer \
            timestampDelivered:integer lastError
            """),
        OpenAPISchema("Deliveries", "events:[Delivery]!"),
        OpenAPISchema("Redelivery", "event"),
        OpenAPISchema("Redelivered", "events:integer!"),

        OpenAPISchema("NewMessage", "userId appId subject! summary! body! type silent:boolean"),
        OpenAPISchema("Message", "id! userId! subject! summary! body! type! read:boolean! timestamp:integer!"),
    ].exemplified(by: OperationsExamples.backOffice)
}
