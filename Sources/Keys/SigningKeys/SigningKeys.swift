import Base
import Database
import Foundation
import Logging
import Synchronization

/// The issuer's signing keys, in table `signing_key`; one set for all roles that share the database.
///
/// Life of a key: `next` (published, does not sign) → `active` (signs) → `retiring` (published, private half deleted) →
/// `retired`; or, once it is known to others, `revoked`. Every configured algorithm has an active and a next key of its
/// own. Keys are in memory, and read again when `pando_keys` says so. While `watch` is not listening, every use reads
/// the table. Memory is a value that is replaced whole, so that any number of threads sign and verify at once; only
/// readings of the table go through the actor.
///
/// Methods throw `Failure` for what an operator must put right and `DatabaseError` when the table cannot be read.
public actor SigningKeys {
    public struct Settings: Sendable {
        /// The first is the default of `sign`.
        public var algorithms: [SigningAlgorithm]
        /// Seconds a key signs before the next takes over.
        public var lifetime: TimeInterval
        /// Seconds a key is published before it may sign: longer than anyone caches our key set.
        public var announcement: TimeInterval
        /// Seconds a key stays published after it signed for the last time: longer than any token lives.
        public var retention: TimeInterval

        public init(
            algorithms: [SigningAlgorithm] = [.es256], lifetime: TimeInterval = 90 * 86_400,
            announcement: TimeInterval = 86_400,
            retention: TimeInterval = 400 * 86_400
        ) {
            (self.algorithms, self.lifetime, self.announcement, self.retention) = (
                algorithms, lifetime, announcement, retention
            )
        }
    }

    nonisolated let masterKey: MasterKey
    nonisolated let settings: Settings
    nonisolated let clock: WallClock
    nonisolated let randomness: Randomness
    nonisolated let channel: String
    private let database: Database
    private let logger: Logger

    private struct Memory {
        var ring: Keyring?
        /// Counts what we were told of changes; a reading begun before the last one is not kept.
        var version = 0
        var isListening = false

        /// The keys, where no reading could tell more.
        var certain: Keyring? { isListening && ring?.version == version ? ring : nil }
    }

    private nonisolated let memory = Mutex(Memory())
    /// What was published in one second of one reading.
    private nonisolated let written = Mutex<(version: Int, second: Int, bytes: [UInt8])?>(nil)
    private var lookedAgain: Date?
    private var looking: Task<Keyring, any Error>?

    /// What `sign` can be asked for, its default first: `id_token_signing_alg_values_supported` of OpenID Connect
    /// Discovery 1.0, 3.
    public nonisolated var algorithms: [SigningAlgorithm] { settings.algorithms }

    public init(
        database: Database, masterKey: MasterKey, settings: Settings, clock: WallClock, randomness: Randomness,
        logger: Logger
    ) {
        self.init(
            database: database, masterKey: masterKey, settings: settings, clock: clock, randomness: randomness,
            logger: logger,
            channel: SigningKeys.channel)
    }

    /// Notifications cross schemas, so tests that run side by side in one database need channels of their own.
    init(
        database: Database, masterKey: MasterKey, settings: Settings, clock: WallClock, randomness: Randomness,
        logger: Logger, channel: String
    ) {
        self.channel = channel
        (self.database, self.masterKey, self.settings) = (database, masterKey, settings)
        (self.clock, self.randomness, self.logger) = (clock, randomness, logger)
    }

    /// A compact JWS by the active key. The header is `alg`, `typ`, `kid`, then the members of `header`, of which those
    /// three are ignored. `type` is the `typ` (RFC 8725, 3.11: say what the token is); `algorithm` must be one of the
    /// settings'.
    public nonisolated func sign(
        type: String, claims: JSONObject, header: JSONObject = [:], algorithm: SigningAlgorithm? = nil
    ) async throws -> String {
        let algorithm = algorithm ?? settings.algorithms.first ?? .es256
        let key = try await current().active(algorithm)
        var head: JSONObject = [
            "alg": .string(algorithm.rawValue), "typ": .string(type), "kid": JSONValue(key.publicKey.kid),
        ]
        for (name, value) in header where head[name] == nil { head[name] = value }
        let input =
            Base64URL.encode(JSONValue.object(head).bytes) + "." + Base64URL.encode(JSONValue.object(claims).bytes)
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8)))
    }

    /// By which ID tokens are signed for a client, and whatever else it checks as it does them; `registered` is its
    /// `id_token_signed_response_alg`.
    public nonisolated func idTokenAlgorithm(registered: String?) -> SigningAlgorithm {
        registered.flatMap { SigningAlgorithm(rawValue: $0) } ?? .usualForIDTokens(among: settings.algorithms)
    }

    /// The kid of the key that `sign` uses by default. From memory where that is good; `certain` reads the table, by
    /// `executor`, and has the next `sign` read it too if memory was wrong: for a process that has not been told yet.
    public nonisolated func signer(certain: Bool, in executor: any SQLExecutor) async throws -> String {
        let algorithm = settings.algorithms.first ?? .es256
        let remembered = memory.withLock { $0.certain }?.activeKid(algorithm)
        if !certain, let remembered { return remembered }
        let rows = try await executor.query(
            "select kid from signing_key where status = 'active' and alg = \(algorithm.rawValue)")
        guard let kid: String = try rows.first?("kid") else { throw Failure.noActiveKey(algorithm) }
        if let remembered, remembered != kid { memory.withLock { $0.version += 1 } }
        return kid
    }

    /// The document for `jwks_uri`: `{"keys": […]}`, active, next and retiring keys, each with `kid`, `alg` and `use`.
    public nonisolated func published() async throws -> JSONValue { try await current().published(at: clock.now()) }

    /// The same as text, written once a second at most while nothing changes.
    public nonisolated func publishedBytes() async throws -> [UInt8] {
        let now = clock.now()
        guard let ring = memory.withLock({ $0.certain }) else { return try await published().bytes }
        let kept = written.withLock { $0 }
        if let kept, kept.version == ring.version, kept.second == now.numericDate { return kept.bytes }
        let bytes = ring.published(at: now).bytes
        written.withLock { $0 = (ring.version, now.numericDate, bytes) }
        return bytes
    }

    /// True when one of our keys, found by `kid` and counting now, made the signature, and `nbf` has come. Says nothing
    /// about the other claims.
    public nonisolated func verify(_ jwt: JWT) async throws -> Bool {
        let now = clock.now()
        guard let kid = jwt.kid, jwt.hasBegun(at: now) else { return false }
        var entry = try await current()[kid]
        // Perhaps a key so new that we have not been told. Kids are free to invent, so once a second at most.
        if entry == nil { entry = try await lookAgain(now)?[kid] }
        guard let entry, entry.row.isTrusted(at: now) else { return false }
        return jwt.isSigned(by: entry.publicKey)
    }

    /// Whether what this key has signed counts now.
    public nonisolated func isTrusted(_ kid: String) async throws -> Bool {
        try await current()[kid]?.row.isTrusted(at: clock.now()) ?? false
    }

    /// Makes what is missing, rotates what is due, lets go of what is past. For start-up and a timer; any number of
    /// processes at once.
    public func ensure() async throws {
        let due = try RotationPlan.due(
            try await SigningKeyRow.all(database), settings, master: masterKey.id, now: clock.now())
        if !due.isEmpty {
            let done = try await database.transaction { transaction in
                try await self.lock(transaction)
                // Another process may have done it while we waited.
                let rows = try await SigningKeyRow.all(transaction)
                let still = try RotationPlan.due(rows, self.settings, master: self.masterKey.id, now: self.clock.now())
                try await self.perform(still, transaction)
                return still.count
            }
            memory.withLock { $0.version += 1 }
            if done > 0 { logger.info("signing keys were made or rotated", metadata: ["steps": "\(done)"]) }
        }
        let ring = try await read()
        for algorithm in settings.algorithms { _ = try ring.active(algorithm) }
    }

    /// Listens until cancelled. Started once, beside the server.
    public func watch() async {
        for await event in database.listen(channel) {
            switch event {
            case .listening: await heard(listening: true)
            case .payload: await heard(listening: true)
            case .lost:
                memory.withLock { $0.isListening = false }
                logger.warning("no longer told of new signing keys; reading them on every use")
            }
        }
        memory.withLock { $0.isListening = false }
    }

    /// What was read last, good or not.
    nonisolated var remembered: Keyring? { memory.withLock { $0.ring } }

    /// Whether memory is good without reading.
    nonisolated var isCertain: Bool { memory.withLock { $0.certain != nil } }

    private func heard(listening: Bool) async {
        memory.withLock {
            $0.isListening = listening
            $0.version += 1
        }
        do {
            _ = try await read()
        } catch {
            // What is held is older than `version` now, so the next use reads again.
            logger.warning("signing keys could not be read", metadata: ["error": "\(error)"])
        }
    }

    private nonisolated func current() async throws -> Keyring {
        if let certain = memory.withLock({ $0.certain }) { return certain }
        return try await read()
    }

    private func read() async throws -> Keyring {
        let (version, previous) = memory.withLock { ($0.version, $0.ring) }
        let rows = try await SigningKeyRow.all(database)
        let fresh = await Keyring(rows, previous: previous, version: version, logger: logger, open: self.open)
        memory.withLock { if version >= $0.ring?.version ?? 0 { $0.ring = fresh } }
        return fresh
    }

    /// Once a second at most; who asks while one looks waits for what that one finds. `nil` where it is too soon.
    private func lookAgain(_ now: Date) async throws -> Keyring? {
        if let looking { return try await looking.value }
        if let lookedAgain, abs(now.timeIntervalSince(lookedAgain)) < 1 { return nil }
        lookedAgain = now
        // A task of its own, because it belongs to all who wait: the first of them being cancelled must not fail the
        // others.
        let task = Task { try await self.read() }
        looking = task
        defer { looking = nil }
        return try await task.value
    }
}
