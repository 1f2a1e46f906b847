/// Every key of the configuration: its spelling in files and flags; `PANDO_` and upper case with underscores in the environment.
enum SettingKey: String, CaseIterable, Sendable {
    case issuer
    case bind
    case port
    case metricsPort = "metrics-port"
    case database
    case databaseConnections = "database-connections"
    case masterKeyFile = "master-key-file"
    case signingAlgorithms = "signing-algorithms"
    case migrations
    case roles
    case trustedProxy = "trusted-proxy"
    case clientCertificateHeader = "client-certificate-header"
    case clientCertificateVerifyHeader = "client-certificate-verify-header"
    case tlsCertificate = "tls-certificate"
    case tlsKey = "tls-key"
    case tlsClientCA = "tls-client-ca"
    case dpopNonce = "dpop-nonce"
    case crawlerAllow = "crawler-allow"
    case crawlerDeny = "crawler-deny"
    case crawlerResolve = "crawler-resolve"
    case crawlerConcurrency = "crawler-concurrency"
    case crawlerStaleMax = "crawler-stale-max"
    case crawlerForget = "crawler-forget"
    case allowLoopbackServices = "allow-loopback-services"
    case stateDirectory = "state-directory"
    case logLevel = "log-level"
    case logFormat = "log-format"

    var environmentName: String { "PANDO_" + rawValue.uppercased().replacing("-", with: "_") }

    var fallback: String {
        switch self {
        case .issuer: "http://localhost:8080"
        case .bind: "127.0.0.1,::1"
        case .port: "8080"
        case .metricsPort: "9464"
        case .database: ""
        case .databaseConnections: "16"
        case .masterKeyFile: ".pando/master.key"
        case .signingAlgorithms: "ES256,RS256"
        case .migrations: "migrations"
        case .roles: "idp,crawler,viewer,tiqr,operations,liquid"
        case .trustedProxy, .allowLoopbackServices: "false"
        case .clientCertificateHeader, .clientCertificateVerifyHeader, .tlsCertificate, .tlsKey, .tlsClientCA: ""
        case .dpopNonce: "accepted"
        case .crawlerAllow, .crawlerDeny, .crawlerResolve: ""
        case .crawlerConcurrency: "32"
        case .crawlerStaleMax: "604800"
        case .crawlerForget: "7776000"
        case .stateDirectory: ".pando"
        case .logLevel: "info"
        case .logFormat: "auto"
        }
    }

    var meaning: String {
        switch self {
        case .issuer: "URL of this server: `iss` of everything it signs"
        case .bind: "addresses to listen on, comma separated"
        case .port: "port to listen on; 0 takes a free one"
        case .metricsPort: "port of /metrics on loopback; empty for none"
        case .database: "libpq connection string; empty lets `pando dev` run its own PostgreSQL"
        case .databaseConnections: "most connections to PostgreSQL"
        case .masterKeyFile: "file with the master key, 32 bytes as base64url"
        case .signingAlgorithms: "what this server signs with: ES256, EdDSA, RS256, comma separated; the first is the default"
        case .migrations: "folder of the SQL migrations"
        case .roles: "what this process runs: idp, crawler, and services of the house"
        case .trustedProxy: "whose forwarded headers are read: false, true for proxies on this machine, or CIDRs"
        case .clientCertificateHeader: "header in which the proxy writes the client's certificate, e.g. Client-Cert; empty for none"
        case .clientCertificateVerifyHeader: "header that says SUCCESS when the proxy checked the certificate's chain"
        case .tlsCertificate: "PEM file with this server's certificate chain; empty for plain HTTP"
        case .tlsKey: "PEM file with its private key"
        case .tlsClientCA: "PEM file of authorities for client certificates; none asks for them and trusts nobody; empty does not ask"
        case .dpopNonce: "whether a DPoP proof must name a nonce of this server: accepted or required"
        case .crawlerAllow: "address ranges that may be asked besides public ones, by the crawler and for what clients name, CIDRs"
        case .crawlerDeny: "address ranges that may not be asked, CIDRs"
        case .crawlerResolve: "pinned names: name=address[,…]"
        case .crawlerConcurrency: "services crawled at a time"
        case .crawlerStaleMax: "seconds for which a last good document is served"
        case .crawlerForget: "seconds without a good document after which the last one is deleted; 0 never"
        case .allowLoopbackServices: "true lets services live on 127.0.0.1 without TLS"
        case .stateDirectory: "where `pando dev` keeps its PostgreSQL and master key"
        case .logLevel: "trace, debug, info, notice, warning, error"
        case .logFormat: "text, json, or auto: text on a terminal"
        }
    }

    /// Values that `config show` does not print.
    var isSecret: Bool { self == .database }
}
