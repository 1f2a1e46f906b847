import Foundation
import PandoClient

/// How the service takes what the federation tells it: nothing from anybody else.
struct EventsCheck: Sendable {
    private static let danger = """
        whoever sends it ends tokens, or has the service pass over real events. Check typ, iss, aud and signature.
        """

    let context: CheckContext

    func run() async throws -> [Finding] {
        let forged: Transport.Response
        do {
            forged = try await send(try forgery())
        } catch let error as CancellationError {
            throw error
        } catch {
            return [Answered.silence(error, "events", "at \(context.base)/events", .endings)]
        }
        if [404, 405, 410, 501].contains(forged.status) { return [absent(forged)] }
        var findings = [refused(forged, "events-forged", "an event that the federation did not sign")]
        findings.append(try await judge("garbage", "events-garbage", "an event that is no JWT", isGood: false))
        for event in try await context.source?.events() ?? [] {
            findings.append(try await judge(event.text, event.id, event.what, isGood: event.isGood))
        }
        return findings
    }

    private func forgery() throws -> String {
        let now = Int(context.now().timeIntervalSince1970)
        let issuer = context.source?.issuer ?? context.issuer ?? "https://federation.example"
        let claims: [String: JSON] = [
            "iss": .string(issuer), "aud": .string(context.base), "jti": .string(UUID().uuidString),
            "iat": .integer(now), "events": ["urn:pando:event:ended": ["node": "nobody-hangs-below-this"]],
        ]
        return try SigningKey().sign(claims, header: ["typ": "secevent+jwt"])
    }

    private func send(_ text: String) async throws -> Transport.Response {
        try await context.transport.send(EventRequest.of(text, base: context.base))
    }

    private func judge(_ text: String, _ id: String, _ what: String, isGood: Bool) async throws -> Finding {
        do {
            let answer = try await send(text)
            return isGood ? taken(answer, id, what) : refused(answer, id, what)
        } catch let error as CancellationError {
            throw error
        } catch {
            return Answered.silence(error, id, what, .endings)
        }
    }

    private func taken(_ answer: Transport.Response, _ id: String, _ what: String) -> Finding {
        if answer.isGood { return Finding(.ok, id, "The service takes \(what).", .push) }
        return Finding(
            .error, id,
            "The service does not take \(what): answer 202, or it comes again and again, and others wait.",
            .push, evidence: Answered.words(answer))
    }

    /// RFC 8935, 2.3: any refusal will do, said by 400 and `err` best.
    private func refused(_ answer: Transport.Response, _ id: String, _ what: String) -> Finding {
        switch answer.status {
        case 200..<300:
            return Finding(
                .error, id, "The service takes \(what): \(EventsCheck.danger)", .endings,
                evidence: Answered.words(answer))
        case 503:
            return Finding(
                .warning, id + "-away", "Asked with \(what), the service cannot answer now: can it reach its issuer?",
                .endings, evidence: Answered.words(answer))
        case 500...:
            return Finding(
                .error, id + "-crash", "The service breaks at \(what): answer 400 (RFC 8935, 2.3).", .push,
                evidence: Answered.words(answer))
        default: return Finding(.ok, id, "The service refuses \(what).", .endings)
        }
    }

    private func absent(_ answer: Transport.Response) -> Finding {
        let says =
            context.isCalled
            ? "Events are not taken at BASE/events; the document names where the service is called instead."
            : "Events are not taken at BASE/events, so the service has to ask for them (ISS/events/poll) or be called; "
                + "else what has ended lives on."
        return Finding(
            context.isCalled ? .info : .warning, "events-absent", says, .endings, evidence: Answered.words(answer))
    }
}
