import Database
import Foundation

/// How a service hears of what has ended. The one place that knows of the ways.
public enum Hearing: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
    /// Events are posted to its events endpoint (RFC 8935).
    case push
    /// It asks for its events (RFC 8936), which every service may, whatever else it hears by.
    case poll
    /// One call to its revocation endpoint for each assertion (RFC 7009).
    case revoke

    /// What the operator wants.
    public enum Wish: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
        /// Whatever works, tried in the order of the cases of ``Hearing`` but for `poll`, which comes last.
        case auto
        case push, poll, revoke

        public static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
    }

    /// What a service's events endpoint made of a verification event.
    enum Verification: Sendable, Equatable {
        /// Nobody has asked it.
        case unasked
        case taken
        /// With what it said.
        case refused(String)
    }

    /// A way, and why it is that one, for people.
    struct Decision: Sendable, Equatable {
        let way: Hearing
        let because: String
    }

    /// `nil` where the events endpoint must be asked first.
    static func decide(_ wish: Wish, _ verification: Verification, isCallable: Bool) -> Decision? {
        switch wish {
        case .push: return Decision(way: .push, because: "the operator has said so")
        case .poll: return Decision(way: .poll, because: "the operator has said so")
        case .revoke:
            return isCallable
                ? Decision(way: .revoke, because: "the operator has said so")
                : Decision(way: .poll, because: "the operator wants calls, and no revocation endpoint is known")
        case .auto:
            switch verification {
            case .unasked: return nil
            case .taken: return Decision(way: .push, because: "its events endpoint took a verification event")
            case .refused(let reason):
                let why = "its events endpoint took no verification event: \(reason)"
                return isCallable
                    ? Decision(way: .revoke, because: why)
                    : Decision(way: .poll, because: "\(why); no revocation endpoint is known")
            }
        }
    }

    /// Whether assertions of such a service are to be remembered one by one: also while its way is not known.
    static func isCalled(_ wish: Wish, _ way: Hearing?) -> Bool { way == .revoke || way == nil && wish == .auto }
}

extension Hearing {
    /// Where calls go: what the operator has named comes before what the document says. Of the row `s` of `service`.
    static let endpoint: SQL = "coalesce(s.revocation_named, s.revocation_endpoint)"

    /// That the way of these services is to be found out anew, where it is not for the operator alone to say: a
    /// statement for the transaction that changes what it hangs on. `service` is a condition on the row `s`.
    public static func ask(_ service: SQL, at now: Date) -> SQL {
        """
        with wanted as (
            insert into service_probe as p (service, first_try, next_try)
            select s.id, \(now), \(now) from service s
            where \(service) and s.status in ('active', 'suspended') and s.notify in ('auto', 'revoke')
            on conflict (service) do update set asked = p.asked + 1, first_try = \(now), next_try = \(now),
                failures = 0, last_error = null
            returning service
        )
        select pg_notify(\(HearingProbe.channel), service) from wanted
        """
    }
}
