import HTTP

extension Setting {
    static let liquidOrigins = Setting(
        "liquid-origins", "origins of web wallets and pages at other hosts that may log in here, comma separated")
    public static let liquidAndroid = Setting(
        "liquid-android",
        "Android wallets: package=SHA-256 fingerprint of the certificate that signs it (AB:CD:…), comma separated")
    static let liquidApple = Setting("liquid-apple", "Apple wallets: TEAMID.bundle.id, comma separated")
    static let liquidAlgod = Setting(
        "liquid-algod", "URL of an Algorand node that knows rekeyed accounts; empty: nobody is rekeyed")
    static let liquidAlgodToken = Setting("liquid-algod-token", "file with that node's API token")
    static let liquidBound = Setting(
        "liquid-bound",
        "true: new passkeys of wallets take a signature that names them; those that sign challenges alone are refused",
        default: "false")
    public static let liquidConformance = Setting(
        "liquid-conformance", "true opens the paths of FIDO's conformance test", default: "false")

    static let liquidSTUNURLs = Setting(
        "liquid-stun-urls", "STUN servers for pages and wallets, stun:HOST:PORT, comma separated")
    static let liquidTURNURLs = Setting(
        "liquid-turn-urls", "TURN servers for pages and wallets, turn:HOST:PORT?transport=udp, comma separated")
    static let liquidTURNSecret = Setting(
        "liquid-turn-secret", "file with the secret that these share with this server (coturn: static-auth-secret)")
    static let liquidTURNLifetime = Setting(
        "liquid-turn-lifetime", "seconds for which credentials at the TURN servers are good", default: "3600")

    static let ofLiquid: [Setting] = [
        liquidOrigins, liquidAndroid, liquidApple, liquidAlgod, liquidAlgodToken, liquidBound, liquidConformance,
        liquidSTUNURLs, liquidTURNURLs, liquidTURNSecret, liquidTURNLifetime,
    ]
}
