import HTTP

extension Setting {
    static let tiqrName = Setting("tiqr-name", "what phones call this server", default: "Pando", namesServer: true)
    static let tiqrSuite = Setting(
        "tiqr-suite", "OCRA suite of this host's identifier; frozen once it was used",
        default: "OCRA-1:HOTP-SHA1-6:QH10-S064")
    static let tiqrSchemes = Setting(
        "tiqr-schemes", "schemes of the links that open the app: for enrolling, for logging in",
        default: "tiqrenroll,tiqrauth")
    static let tiqrLogo = Setting(
        "tiqr-logo", "URL of a PNG or JPEG that phones can read without login; empty for this server's own")
    static let tiqrInfo = Setting("tiqr-info", "URL that phones show about this server; empty for its home page")
    static let tiqrAPNsKey = Setting(
        "tiqr-apns-key", "PEM file (.p8) with the key for Apple's push service; empty for none")
    static let tiqrAPNsTeam = Setting("tiqr-apns-team", "Apple's id of the team")
    static let tiqrAPNsKeyID = Setting("tiqr-apns-key-id", "Apple's id of that key")
    static let tiqrAPNsTopic = Setting("tiqr-apns-topic", "bundle id of the app that is pushed to")
    static let tiqrAPNsEndpoint = Setting(
        "tiqr-apns-endpoint", "Apple's push service, or its sandbox", default: "https://api.push.apple.com")
    static let tiqrFCMAccount = Setting(
        "tiqr-fcm-account", "JSON file of the service account for Firebase Cloud Messaging; empty for none")
    static let tiqrFCMEndpoint = Setting(
        "tiqr-fcm-endpoint", "Firebase Cloud Messaging", default: "https://fcm.googleapis.com")
    static let tiqrExchange = Setting(
        "tiqr-exchange", "URL of the token exchange behind pseudo addresses (APNS, FCM, GCM); empty for none")
    static let tiqrWebhook = Setting(
        "tiqr-webhook", "URL that gets the pushes that nothing else here can send; empty for none")
    static let tiqrWebhookSecret = Setting(
        "tiqr-webhook-secret", "file with the key that signs them, 32 bytes as base64url")

    static let tiqrTexts = Setting(
        "tiqr-texts",
        "JSON file with what messages to phones say, by language: {\"en\": \"Log in to {service}?\"}; empty for ours")

    static let tiqrNumberMatching = Setting(
        "tiqr-number-matching",
        "push: a message to a phone has a number in it, which the login page asks for; off: none has", default: "off")

    static let ofTiqr: [Setting] = [
        tiqrName, tiqrSuite, tiqrSchemes, tiqrLogo, tiqrInfo, tiqrAPNsKey, tiqrAPNsTeam, tiqrAPNsKeyID, tiqrAPNsTopic,
        tiqrAPNsEndpoint, tiqrFCMAccount, tiqrFCMEndpoint, tiqrExchange, tiqrWebhook, tiqrWebhookSecret,
        tiqrTexts, tiqrNumberMatching,
    ]
}
