import Base
import Foundation
import Passkeys
import Synchronization
import WebAuthn

/// The four calls of FIDO's server conformance test (protocols/liquid.md, 6): options and result of both ceremonies, by
/// the same code as everywhere.
///
/// What registers here is in the memory of this process only and logs in nowhere: a tool that plays any user must not
/// touch anybody's passkeys. So the test wants one process, and the paths are behind a flag (decisions.md, liquid 6). A
/// challenge is its browser's, as elsewhere; any answer uses it up.
public final class ConformanceService: Sendable {
    private struct Refused: Error { let reason: String }

    private let people: RelyingParty
    private let timeout: TimeInterval
    private let clock: WallClock
    private let randomness: Randomness
    private let book = Mutex(ConformanceBook())

    /// Asks as the server asks its people, but offers every algorithm that is here; conveyance and user verification
    /// are as the tool says. Roots come from the settings.
    public init(_ liquid: LiquidService) {
        (people, timeout) = (liquid.settings.people, liquid.settings.peopleTimeout)
        (clock, randomness) = (liquid.parts.clock, liquid.parts.randomness)
    }

    // MARK: Registering

    /// POST /attestation/options.
    public func attestationOptions(_ body: JSONValue, for presented: PresentedSession) -> ConformanceAnswer {
        do {
            let selection = body["authenticatorSelection"], name = try Self.username(body)
            let question = ConformanceBook.Question(
                ceremony: .create, username: name, challenge: ChallengeStore.draw(randomness),
                verification: try Self.choice(
                    RelyingParty.UserVerification.self, selection?["userVerification"], or: .preferred),
                conveyance: try Self.choice(AttestationPolicy.Conveyance.self, body["attestation"], or: .none),
                expiresAt: clock.now().addingTimeInterval(timeout))
            let fresh = randomness.bytes(32)
            guard
                let user = book.withLock({
                    $0.register(question, holder: presented.sid.hash, handle: fresh, at: clock.now())
                })
            else { throw Refused(reason: "full") }
            let shown = CreationOptions.User(
                id: Base64URL.encode(user.handle), name: name, displayName: body["displayName"]?.string ?? name)
            return .fine(
                CreationOptions(
                    party: party(question), user: shown, challenge: question.challenge, timeout: milliseconds,
                    exclude: user.held.map(\.descriptor), selection: selection?.object.map(JSONValue.object),
                    extensions: body["extensions"]?.object.map(JSONValue.object)
                ).json)
        } catch {
            return failed(error)
        }
    }

    /// POST /attestation/result.
    public func attestationResult(_ body: JSONValue, by presented: PresentedSession) async -> ConformanceAnswer {
        do {
            let question = try asked(.create, presented)
            let made = try await RegistrationCeremony.verify(
                Self.respelt(body), challenge: question.challenge, party: party(question), at: clock.now())
            guard book.withLock({ $0.add(made, to: question.username) }) else { throw WebAuthnRefusal.credentialExists }
            return .fine([:])
        } catch {
            return failed(error)
        }
    }

    // MARK: Using

    /// POST /assertion/options.
    public func assertionOptions(_ body: JSONValue, for presented: PresentedSession) -> ConformanceAnswer {
        do {
            let question = ConformanceBook.Question(
                ceremony: .get, username: try Self.username(body), challenge: ChallengeStore.draw(randomness),
                verification: try Self.choice(
                    RelyingParty.UserVerification.self, body["userVerification"], or: .preferred), conveyance: .none,
                expiresAt: clock.now().addingTimeInterval(timeout))
            guard let user = book.withLock({ $0.logIn(question, holder: presented.sid.hash, at: clock.now()) }) else {
                throw Refused(reason: "user_unknown")
            }
            return .fine(
                RequestOptions(
                    party: party(question), challenge: question.challenge, timeout: milliseconds,
                    allow: user.held.map(\.descriptor),
                    extensions: body["extensions"]?.object.map(JSONValue.object)
                ).json)
        } catch {
            return failed(error)
        }
    }

    /// POST /assertion/result.
    public func assertionResult(_ body: JSONValue, by presented: PresentedSession) -> ConformanceAnswer {
        do {
            let question = try asked(.get, presented), json = Self.respelt(body),
                id = try AuthenticationCeremony.credentialID(json)
            guard let user = book.withLock({ $0.users[question.username] }),
                let held = user.held.first(where: { $0.known.id == id })
            else {
                throw WebAuthnRefusal.credentialUnknown
            }
            let outcome = try AuthenticationCeremony.verify(
                json, challenge: question.challenge, credential: held.known, party: party(question),
                userHandle: .matching(user.handle))
            guard book.withLock({ $0.use(id, of: question.username, outcome) }) else {
                throw WebAuthnRefusal.counterRegressed
            }
            return .fine([:])
        } catch {
            return failed(error)
        }
    }

    // MARK: What both do

    private var milliseconds: Int { Int(timeout * 1_000) }

    private func asked(
        _ ceremony: ConformanceBook.Ceremony, _ presented: PresentedSession
    ) throws -> ConformanceBook.Question {
        guard let question = book.withLock({ $0.take(presented.sid.hash) }), question.ceremony == ceremony,
            question.expiresAt > clock.now()
        else {
            throw WebAuthnRefusal.challengeUnknown
        }
        return question
    }

    private func party(_ question: ConformanceBook.Question) -> RelyingParty {
        let policy = people.attestation
        let attestation = AttestationPolicy(
            conveyance: question.conveyance, formats: policy.formats, trust: policy.trust, roots: policy.roots,
            admitsSHA1: policy.admitsSHA1, admitsU2FModel: policy.admitsU2FModel)
        return RelyingParty(
            id: people.id, name: people.name, origins: people.origins, framing: people.framing,
            userVerification: question.verification,
            algorithms: [.es256, .es384, .es512, .edDSA, .rs256], attestation: attestation)
    }

    private func failed(_ error: any Error) -> ConformanceAnswer {
        switch error {
        case let refusal as WebAuthnRefusal: .failed(refusal.explain)
        case let refused as Refused: .failed(refused.reason)
        default: .failed("request_malformed")
        }
    }

    private static func username(_ body: JSONValue) throws -> String {
        guard let name = body["username"]?.string, (1...64).contains(name.utf8.count) else {
            throw Refused(reason: "username_malformed")
        }
        return name
    }

    private static func choice<Choice: RawRepresentable<String>>(
        _ type: Choice.Type, _ value: JSONValue?, or fallback: Choice
    ) throws -> Choice {
        guard let value else { return fallback }
        guard let text = value.string, let choice = Choice(rawValue: text) else {
            throw Refused(reason: "request_malformed")
        }
        return choice
    }

    /// The tool leaves `rawId` out, and writes an empty `userHandle` where there is none.
    private static func respelt(_ body: JSONValue) -> JSONValue {
        guard var members = body.object else { return body }
        if members["rawId"] == nil { members["rawId"] = members["id"] }
        if var response = members["response"]?.object, response["userHandle"]?.string == "" {
            response["userHandle"] = Optional.none
            members["response"] = .object(response)
        }
        return .object(members)
    }
}

/// Status and body, as the tool wants them.
public struct ConformanceAnswer: Sendable, Equatable {
    public let status: Int
    public let json: JSONValue

    static func fine(_ members: JSONValue) -> ConformanceAnswer {
        var body: JSONObject = ["status": "ok", "errorMessage": ""]
        for (name, value) in members.object ?? [:] { body[name] = value }
        return ConformanceAnswer(status: 200, json: .object(body))
    }

    static func failed(_ reason: String) -> ConformanceAnswer {
        ConformanceAnswer(status: 400, json: ["status": "failed", "errorMessage": .string(reason)])
    }
}
