import Base
import Database
import Foundation
import OCRA
import TokenTree

/// The two ways in which an answer comes; both count at one counter.
extension AnswerChallenge {
    /// From the phone: the session key tells which challenge.
    func byPhone(_ login: LoginForm, origin: String?) async throws -> LoginAnswer {
        guard let hash = LinkKeys.hash(shown: login.session), let session = Hexadecimal.decode(login.session) else {
            return .invalidChallenge
        }
        let key = ChallengedPerson.PhoneKey(hash: hash, identity: login.identity)
        func read() async throws -> ChallengedPerson? { try await challenged.find(key) }
        let answer = Answer(
            response: login.response, method: .online, address: login.address, language: login.language, origin: origin)
        let first = try await read()
        let verdict = try await settle(first, answer, session: session, again: read)
        return switch verdict {
        case .right: .authenticated
        case .wrong(let left): .wrong(attemptsLeft: left)
        case .blocked(let minutes): .blocked(minutes: minutes)
        case .notPending: .invalidChallenge
        case .otherIdentity: .invalidUser
        }
    }

    /// Typed by its user, for the one who began it (design/backoffice.md, POST otp).
    func byOTP(_ otp: String, of id: String, identity: String?, for caller: TiqrCaller) async throws {
        let view = try await AuthenticationStore.named(id, for: caller, in: database)
        guard let who = view.named ?? identity else {
            throw TiqrRefusal.invalidRequest("the authentication names no identity: send it with the one-time password")
        }
        if let identity, identity != who {
            throw TiqrRefusal.invalidRequest("the authentication is another identity's")
        }
        func read() async throws -> ChallengedPerson? {
            try await ChallengedPerson.read(id, of: caller, identity: who, at: clock.now(), in: database)
        }
        guard let first = try await read() else { throw TiqrRefusal.notFound("there is no such authentication") }
        guard first.isPending else { throw TiqrRefusal.invalidChallenge }
        guard let person = first.person else { throw TiqrRefusal.notFound("there is no such identity") }

        let digits = otp.filter { $0 != " " }, length = try OCRASuite.read(person.suite).digits
        guard digits.utf8.count == length,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            throw TiqrRefusal.invalidRequest("otp is \(length) digits")
        }
        guard let session = Hexadecimal.decode(links.text(.session, id)) else { throw TiqrRefusal.invalidChallenge }
        let answer = Answer(response: digits, method: .otp, origin: caller.actor.origin)
        let verdict = try await settle(first, answer, session: session, again: read)
        switch verdict {
        case .right: return
        case .wrong(let left): throw TiqrRefusal.invalidOTP(attemptsLeft: left)
        case .blocked(let minutes): throw TiqrRefusal.accountBlocked(minutes: minutes)
        case .notPending: throw TiqrRefusal.invalidChallenge
        case .otherIdentity: throw TiqrRefusal.notFound("there is no such identity")
        }
    }
}
