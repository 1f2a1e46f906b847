import CLibPQ
import Foundation

/// The parameters of a connection: what the operator wrote, read by libpq itself, and the session settings we rely on.
struct Conninfo: Sendable {
    /// One host, or one address of it, and how long it may take.
    struct Attempt: Sendable {
        /// As messages name it.
        let place: String
        let limit: TimeInterval
        let parameters: [String: String]
        /// For a pooler that takes no settings at the start; `nil` where there is nothing of ours to leave out.
        let plain: [String: String]?

        var withoutOptions: Attempt? {
            plain.map { Attempt(place: place, limit: limit, parameters: $0, plain: nil) }
        }
    }

    /// Everything but host, address and port.
    private let common: [String: String]
    private let ownOptions: String
    private let hosts: [HostEntry]
    private let connectTimeout: TimeInterval
    private let givenTimeout: TimeInterval?
    /// Milliseconds, as `statement_timeout`; 0 for none.
    let timeLimit: Int
    /// How long a caller waits for an answer.
    let answerLimit: Duration
    /// After how long without a word a connection on which somebody waits too long counts as dead.
    let silenceLimit: Duration
    let memory = HostMemory()

    /// Refuses a malformed string without quoting it, as it may hold a password.
    init(_ settings: Database.Settings) throws(DatabaseError) {
        guard let options = PQconninfoParse(settings.connectionString, nil) else {
            throw .unavailable("the connection string is malformed")
        }
        defer { PQconninfoFree(options) }
        // Found dead within ten seconds where nobody waits, as on a listener; TCP alone takes fifteen minutes.
        let defaults = [
            "application_name": "pando", "keepalives_idle": "5", "keepalives_interval": "2", "keepalives_count": "3",
            "tcp_user_timeout": "10000",
        ]
        var merged = defaults.merging(Conninfo.values(options)) { _, given in given }
        merged["client_encoding"] = "UTF8"
        timeLimit = Int(settings.statementTimeout * 1000)
        answerLimit = .seconds(settings.answerLimit ?? settings.waitLimit)
        silenceLimit = .seconds(settings.statementTimeout)
        let session = [
            "statement_timeout=\(timeLimit)", "TimeZone=UTC", "standard_conforming_strings=on",
            "client_min_messages=warning",
            // Statements are planned once and run for hours: by the index also where the table was small then.
            "random_page_cost=1.1", "jit=off",
        ]
        ownOptions = session.map { "-c \($0)" }.joined(separator: " ")
        hosts = HostEntry.list(merged, environment: Conninfo.environment(beside: merged))
        givenTimeout = merged["connect_timeout"].flatMap(Int.init).flatMap { $0 > 0 ? TimeInterval(max(2, $0)) : nil }
        connectTimeout = settings.connectTimeout
        // Of several servers only the one that can be written to is of use.
        if hosts.count > 1, merged["target_session_attrs"] == nil { merged["target_session_attrs"] = "read-write" }
        if hosts.contains(where: \.isSingle) {
            for name in ["host", "hostaddr", "port"] { merged[name] = nil }
        }
        common = merged
    }

    /// In the order in which they are to be made: hosts in turn, but those last that were silent lately. Resolves
    /// names, which waits (as libpq does itself): not for the loop.
    func attempts() -> [Attempt] {
        var places = hosts.flatMap(\.addresses)
        if common["load_balance_hosts"] == "random" { places.shuffle() }
        places = places.filter { !memory.isSilent($0.name) } + places.filter { memory.isSilent($0.name) }
        let limit = givenTimeout ?? (places.count > 1 ? connectTimeout / 2.5 : connectTimeout)
        let rounds =
            common["target_session_attrs"] == "prefer-standby" && places.count > 1 ? ["standby", "any"] : [nil]
        return rounds.flatMap { role in places.map { attempt(at: $0, role: role, limit: limit) } }
    }

    private func attempt(at place: HostEntry, role: String?, limit: TimeInterval) -> Attempt {
        var parameters = common.merging(place.parameters) { $1 }
        if let role { parameters["target_session_attrs"] = role }
        if parameters["load_balance_hosts"] != nil { parameters["load_balance_hosts"] = "disable" }
        let plain = parameters
        // The operator's come last and win.
        parameters["options"] = ownOptions + (common["options"].map { $0.isEmpty ? "" : " " + $0 } ?? "")
        let attempt = Attempt(place: place.name, limit: limit, parameters: parameters, plain: plain)
        return memory.refusesOptions(place.name) ? attempt.withoutOptions ?? attempt : attempt
    }

    private static func values(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }

    /// What libpq fills in from PGHOST and so on; with a `service` it reads that one's file first, and is left alone
    /// with it.
    private static func environment(beside given: [String: String]) -> [String: String] {
        guard given["service"] == nil, let options = PQconndefaults() else { return [:] }
        defer { PQconninfoFree(options) }
        return values(options)
    }
}
