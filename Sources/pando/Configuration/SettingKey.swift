/// Every key of the configuration: its spelling in files and flags; `PANDO_` and upper case with underscores in the environment.
enum SettingKey: String, CaseIterable, Sendable {
    case issuer
    case bind
    case port
    case metricsPort = "metrics-port"
    case database
    case databaseConnections = "database-connections"
    case masterKeyFile = "master-key-file"
    case migrations
    case roles
    case trustedProxy = "trusted-proxy"
    case crawlerAllow = "crawler-allow"
    case crawlerDeny = "crawler-deny"
    case crawlerResolve = "crawler-resolve"
    case crawlerConcurrency = "crawler-concurrency"
    case crawlerStaleMax = "crawler-stale-max"
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
        case .migrations: "migrations"
        case .roles: "idp,crawler,viewer,tiqr,operations,liquid"
        case .trustedProxy, .allowLoopbackServices: "false"
        case .crawlerAllow, .crawlerDeny, .crawlerResolve: ""
        case .crawlerConcurrency: "32"
        case .crawlerStaleMax: "604800"
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
        case .migrations: "folder of the SQL migrations"
        case .roles: "what this process runs: idp, crawler, and services of the house"
        case .trustedProxy: "true when TLS ends at a proxy in front"
        case .crawlerAllow: "address ranges the crawler may reach besides public ones, CIDRs"
        case .crawlerDeny: "address ranges it may not reach, CIDRs"
        case .crawlerResolve: "pinned names: name=address[,…]"
        case .crawlerConcurrency: "services crawled at a time"
        case .crawlerStaleMax: "seconds for which a last good document is served"
        case .allowLoopbackServices: "true lets services live on 127.0.0.1 without TLS"
        case .stateDirectory: "where `pando dev` keeps its PostgreSQL and master key"
        case .logLevel: "trace, debug, info, notice, warning, error"
        case .logFormat: "text, json, or auto: text on a terminal"
        }
    }

    /// Values that `config show` does not print.
    var isSecret: Bool { self == .database }
}
