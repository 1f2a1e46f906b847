import HTTP

/// The settings of the server itself; each product brings its own.
extension Setting {
    public static let issuer = Setting(
        "issuer", "URL of this server: `iss` of everything it signs", default: "http://localhost:8080")
    public static let bind = Setting("bind", "addresses to listen on, comma separated", default: "127.0.0.1,::1")
    public static let port = Setting("port", "port to listen on; 0 takes a free one", default: "8080")
    public static let drainDelay = Setting(
        "drain-delay",
        "seconds for which it serves on after it was told to stop, with /readyz at 503, so that proxies look elsewhere",
        default: "5")
    public static let metricsPort = Setting(
        "metrics-port", "port of /metrics; empty for none", default: "9464")
    static let metricsHost = Setting(
        "metrics-host", "address of /metrics; beyond loopback with metrics-token-file alone", default: "127.0.0.1")
    static let metricsTokenFile = Setting(
        "metrics-token-file", "file with the token that /metrics asks for; empty for none")
    static let accessLog = Setting(
        "access-log", "a line on stdout for each request: off, json or common", default: "off")
    public static let database = Setting(
        "database", "libpq connection string; empty lets `pando dev` run its own PostgreSQL", isSecret: true)
    public static let databaseConnections = Setting(
        "database-connections", "most connections to PostgreSQL", default: "16")
    public static let masterKeyFile = Setting(
        "master-key-file", "file with the master key, 32 bytes as base64url", default: ".pando/master.key")
    public static let signingAlgorithms = Setting(
        "signing-algorithms",
        """
        what this server signs with: ES256, EdDSA, RS256, comma separated; the first is the default, but of ID \
        tokens, which are RS256 where it is named
        """,
        default: "ES256,RS256")
    public static let migrations = Setting("migrations", "folder of the SQL migrations", default: "migrations")
    public static let commonPasswords = Setting(
        "common-passwords",
        "file of passwords that nobody may choose: folded, one a line, in the order of their bytes",
        default: "passwords/common.txt")
    public static let roles = Setting(
        "roles", "what this process runs: idp, crawler, and built-in services",
        default: Settings.Role.usual.map(\.name).joined(separator: ","))
    public static let loginFactors = Setting(
        "login-factors",
        """
        second factors that people of this IdP can log in with: tiqr, operations, passkey, comma separated; empty \
        for none
        """,
        default: Product.loginFactors.joined(separator: ","))
    public static let listing = Setting(
        "listing",
        """
        who may read the list of services: public, federation (who shows a token or authenticates as a client), \
        closed
        """,
        default: "public")
    public static let accountDeletion = Setting(
        "account-deletion", "who deletes accounts: self, their people; operator, `accounts delete` alone",
        default: "operator")
    public static let auditKept = Setting(
        "audit-kept", "days for which lines of the audit trail are kept; 0 for good", default: "0")
    public static let trustedProxy = Setting(
        "trusted-proxy", "whose forwarded headers are read: false, true for proxies on this machine, or CIDRs",
        default: "false")
    public static let clientCertificateHeader = Setting(
        "client-certificate-header",
        "header in which the proxy writes the client's certificate, e.g. Client-Cert; empty for none")
    public static let clientCertificateVerifyHeader = Setting(
        "client-certificate-verify-header", "header that says SUCCESS when the proxy checked the certificate's chain")
    public static let tlsCertificate = Setting(
        "tls-certificate", "PEM file with this server's certificate chain; empty for plain HTTP")
    public static let tlsKey = Setting("tls-key", "PEM file with its private key")
    public static let tlsClientCA = Setting(
        "tls-client-ca",
        "PEM file of authorities for client certificates; none asks for them and trusts nobody; empty does not ask")
    public static let dpopNonce = Setting(
        "dpop-nonce", "whether a DPoP proof must name a nonce of this server: accepted or required",
        default: "accepted")
    public static let crawlerAllow = Setting(
        "crawler-allow",
        "address ranges that may be asked besides public ones, by the crawler and for what clients name, CIDRs")
    public static let crawlerDeny = Setting("crawler-deny", "address ranges that may not be asked, CIDRs")
    public static let crawlerResolve = Setting("crawler-resolve", "pinned names: name=address[,…]")
    public static let crawlerConcurrency = Setting("crawler-concurrency", "services crawled at a time", default: "32")
    public static let crawlerStaleMax = Setting(
        "crawler-stale-max", "seconds for which a last good document is served", default: "604800")
    public static let crawlerForget = Setting(
        "crawler-forget", "seconds without a good document after which the last one is deleted; 0 never",
        default: "7776000")
    public static let allowLoopbackServices = Setting(
        "allow-loopback-services", "true lets services live on 127.0.0.1 without TLS", default: "false")
    public static let stateDirectory = Setting(
        "state-directory", "where `pando dev` keeps its PostgreSQL and master key", default: ".pando")
    public static let logLevel = Setting("log-level", "trace, debug, info, notice, warning, error", default: "info")
    public static let logFormat = Setting("log-format", "text, json, or auto: text on a terminal", default: "auto")

    private static let ofServer: [Setting] =
        [
            issuer, bind, port, drainDelay, metricsHost, metricsPort, metricsTokenFile, accessLog, database,
            databaseConnections, masterKeyFile, signingAlgorithms,
            migrations, commonPasswords, roles, loginFactors, listing, accountDeletion, auditKept, trustedProxy,
            clientCertificateHeader, clientCertificateVerifyHeader, tlsCertificate, tlsKey, tlsClientCA, dpopNonce,
            crawlerAllow, crawlerDeny, crawlerResolve, crawlerConcurrency, crawlerStaleMax, crawlerForget,
            allowLoopbackServices, stateDirectory, logLevel, logFormat, nodeName,
        ] + ofTraces + ofGrowth + ofLimits + ofEvents + ofAdministration + ofLifetimes + ofElsewhere + ofReplica

    /// All that there are, the server's own first.
    public static let all: [Setting] = ofServer + ofBrand + ofMail + Product.all.flatMap(\.settings)

    public static func named(_ name: String) -> Setting? { all.first { $0.name == name } }
}
