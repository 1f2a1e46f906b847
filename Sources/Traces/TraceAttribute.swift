/// The names of what is told of a span, by OpenTelemetry's semantic conventions where those have one. What they want
/// besides and is not here (`url.full`, `url.path`, `url.query`, `client.address`, `user_agent.original`) holds codes,
/// keys of links, or who somebody is (docs/tracing.md).
public enum TraceAttribute: String, Sendable {
    case httpMethod = "http.request.method"
    case httpRoute = "http.route"
    case httpStatus = "http.response.status_code"
    case scheme = "url.scheme"
    case serverAddress = "server.address"
    case serverPort = "server.port"
    case errorType = "error.type"
    case databaseSystem = "db.system.name"
    case databaseText = "db.query.text"
    case databaseSummary = "db.query.summary"
    case databaseOperation = "db.operation.name"
    case databaseTable = "db.collection.name"
    case databaseBatch = "db.operation.batch.size"
    case databaseStatus = "db.response.status_code"
    case databaseRows = "db.response.returned_rows"
    case messagingSystem = "messaging.system"
    case messagingOperation = "messaging.operation.name"
    /// How many were written by one commit.
    case groupSize = "pando.group_commit.size"
    case grantType = "oauth.grant_type"
    /// `done`, or how an attempt to deliver ended.
    case outcome = "pando.outcome"
}
