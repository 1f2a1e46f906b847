import Foundation
import WebAuthn

/// What a conformance test has registered and been asked so far. Bounded, as anybody may call where the flag is set.
struct ConformanceBook: Sendable {
    static let mostUsers = 1_000, mostQuestions = 1_000, mostPasskeys = 20

    enum Ceremony: Sendable { case create, get }

    struct Question: Sendable {
        let ceremony: Ceremony
        let username: String
        let challenge: [UInt8]
        let verification: RelyingParty.UserVerification
        let conveyance: AttestationPolicy.Conveyance
        let expiresAt: Date
    }

    struct Held: Sendable {
        let known: KnownCredential
        let transports: [String]

        var descriptor: CredentialDescriptor { CredentialDescriptor(id: known.id, transports: transports) }
    }

    struct User: Sendable {
        let handle: [UInt8]
        var held: [Held] = []
    }

    private(set) var users: [String: User] = [:]
    /// By holder.
    private var questions: [[UInt8]: Question] = [:]

    /// A new user gets `handle`; `nil` when there is no room.
    mutating func register(_ question: Question, holder: [UInt8], handle: [UInt8], at now: Date) -> User? {
        let user = users[question.username] ?? User(handle: handle)
        guard users[question.username] != nil || users.count < Self.mostUsers, ask(question, holder, at: now) else {
            return nil
        }
        users[question.username] = user
        return user
    }

    /// `nil` for a user who is not there, or has nothing to answer with, and when there is no room.
    mutating func logIn(_ question: Question, holder: [UInt8], at now: Date) -> User? {
        guard let user = users[question.username], !user.held.isEmpty, ask(question, holder, at: now) else {
            return nil
        }
        return user
    }

    private mutating func ask(_ question: Question, _ holder: [UInt8], at now: Date) -> Bool {
        if questions.count >= Self.mostQuestions { questions = questions.filter { $0.value.expiresAt > now } }
        guard questions.count < Self.mostQuestions || questions[holder] != nil else { return false }
        questions[holder] = question
        return true
    }

    mutating func take(_ holder: [UInt8]) -> Question? { questions.removeValue(forKey: holder) }

    /// False when somebody has the id (R18), and when the user has enough.
    mutating func add(_ made: NewCredential, to username: String) -> Bool {
        guard !users.values.contains(where: { user in user.held.contains { $0.known.id == made.id } }) else {
            return false
        }
        guard var user = users[username], user.held.count < Self.mostPasskeys else { return false }
        let known = KnownCredential(
            id: made.id, key: made.key, counter: made.counter, backupEligible: made.backupEligible)
        user.held.append(Held(known: known, transports: made.transports))
        users[username] = user
        return true
    }

    /// False when the counter did not go up meanwhile, or the passkey is gone.
    mutating func use(_ id: [UInt8], of username: String, _ outcome: AssertionOutcome) -> Bool {
        guard var user = users[username], let place = user.held.firstIndex(where: { $0.known.id == id }) else {
            return false
        }
        let held = user.held[place]
        guard (outcome.newCount == 0 && held.known.counter == 0) || outcome.newCount > held.known.counter else {
            return false
        }
        let known = KnownCredential(
            id: id, key: held.known.key, counter: outcome.newCount, backupEligible: outcome.backupEligible)
        user.held[place] = Held(known: known, transports: held.transports)
        users[username] = user
        return true
    }
}
