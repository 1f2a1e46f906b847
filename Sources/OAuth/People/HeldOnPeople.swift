import Accounts
import Database
import Foundation

/// What the IdP itself holds on a person, table by table. Products tell of theirs beside it (`HeldData`).
extension AccountHolding {
    /// The person, what they log in with and where they are logged in; what was agreed and used; what was written down
    /// about them.
    public static let ofPeople: [AccountHolding] = profile + roles + logins + recovery + apps + uses + refusals + trail

    private static let profile = [
        AccountHolding(
            "account", in: "account",
            tells: """
                external_id
                id username email email_verified_at name given_name family_name status required_factor admin created_at
                attributes institution offers_declined
                """,
            withholds: ["password": secret, "username_key": "the username once more, folded"], newest: "created_at"
        ) { "x.id = \($0)" }
    ]

    private static let roles = [
        AccountHolding(
            "roles", in: "role_grant", tells: "account role institution service granted_at granted_by",
            newest: "granted_at"
        ) { "x.account = \($0)" },
        AccountHolding(
            "service_proposals", in: "service_proposal",
            tells: """
                id base name proposer claims status created_at proven_at report decided_at reason service rsd document
                """,
            withholds: ["proof": "a word that stands at the service", "decided_by": "who of the federation decided"],
            newest: "created_at"
        ) { "x.proposer = \($0)" },
    ]

    private static let logins = [
        AccountHolding(
            "logins", in: "authentication_event", tells: "id account method methods factor client session at",
            newest: "at"
        ) { "x.account = \($0)" },
        AccountHolding(
            "browser_sessions", in: "browser_session",
            tells: "id account device origin created_at last_seen expires_at",
            withholds: ["secret": secret, "lineage": internals], newest: "created_at"
        ) { "x.account = \($0)" },
        AccountHolding(
            "session_applications", in: "session_client", tells: "session client subject first_at", newest: "first_at"
        ) { "x.session in (select s.id from browser_session s where s.account = \($0))" },
        AccountHolding(
            "logins_under_way", in: "login_attempt", tells: "method account started_at expires_at",
            withholds: [
                "reference": secret, "subject": secret, "browser": secret, "goes_on": "an address of one use",
            ], newest: "started_at"
        ) { "x.account = \($0)" },
        AccountHolding(
            "devices", in: "device_authorization",
            tells: "client status account interval_s last_poll created_at expires_at",
            withholds: [
                "device": secret, "user_code": secret, "parameters": "what the device's application asked for",
                "approval": "what its token will say", "lineage": internals, "anchor": internals,
            ], newest: "created_at"
        ) { "x.account = \($0)" },
    ]

    private static let recovery = [
        AccountHolding(
            "language", in: "account_language", tells: "account language", newest: "language"
        ) { "x.account = \($0)" },
        AccountHolding(
            "links", in: "account_link", tells: "purpose account created_at expires_at",
            withholds: [
                "secret": secret, "lineage": internals, "detail": "what the link does is told when it is opened",
            ],
            newest: "created_at"
        ) { "x.account = \($0)" },
        AccountHolding(
            "recovery_codes", in: "recovery_code", tells: "account created_at", withholds: ["code": secret],
            newest: "created_at"
        ) { "x.account = \($0)" },
        AccountHolding(
            "letters", in: "mail", tells: "account created_at expires_at attempts",
            withholds: [
                "id": internals, "sealed": "a letter that waits, with links of one use", "next_try": internals,
                "last_error": "what our mail server said",
            ], newest: "created_at"
        ) { "x.account = \($0)" },
    ]

    private static let apps = [
        AccountHolding(
            "instances", in: "app_instance",
            tells: """
                id app version device_id name device_type os_version device thumbprint jwk account created_at last_seen
                told_at
                """, withholds: ["lineage": internals], newest: "last_seen"
        ) { "x.account = \($0)" },
        AccountHolding(
            "tokens", in: "token",
            tells: "realm kind issued_at expires_at used_at account client service bundle scope",
            withholds: tokenWithheld.merging(["secret": secret, "family": internals]) { $1 }, newest: "issued_at"
        ) { held($0) },
        AccountHolding(
            "refreshable_tokens", in: "family",
            tells: "realm kind issued_at idle_until rotated_at account client service bundle scope",
            withholds: tokenWithheld.merging(["sequence": internals, "answered_at": internals]) { $1 },
            newest: "issued_at"
        ) { held($0) },
    ]

    private static let tokenWithheld = [
        "id": "a name by which services ask about the token", "parent": internals,
        "anchor": internals, "lineage": internals, "child": internals, "jkt": "the thumbprint stands with the instance",
        "detail": "the token's claims, which say again what stands elsewhere here",
    ]

    /// Tokens have no index by person. What lives hangs from a phone, a browser or an application of theirs: of an
    /// application that is the anchor of all its people's tokens.
    private static func held(_ account: UUID) -> SQL {
        """
        x.account = \(account) and x.anchor in (
            select n.id from ancestor n join app_instance i on n.kind = 'instance' and n.name = i.id
            where i.account = \(account)
            union all
            select n.id from ancestor n join browser_session s on n.kind = 'session' and n.name = s.id
            where s.account = \(account)
            union all
            select n.id from ancestor n join consent c on n.kind = 'client' and n.name = c.client
            where c.account = \(account))
        """
    }

    private static let uses = [
        AccountHolding(
            "applications", in: "consent", tells: "account client scopes claims services given_at changed_at",
            newest: "changed_at"
        ) { "x.account = \($0)" },
        AccountHolding(
            "services", in: "service_usage", tells: "account service last_used", newest: "last_used"
        ) { "x.account = \($0)" },
        AccountHolding(
            "disclosures", in: "disclosure",
            tells: "account client service claims methods login_at first_at last_at ended_at",
            withholds: ["anchor": internals, "holder": internals, "lineage": internals], newest: "last_at"
        ) { "x.account = \($0)" },
    ]

    private static let refusals = [
        AccountHolding(
            "kept_out", in: "service_refusal", tells: "service kind name account instance refused_at reason",
            withholds: ["actor": "which operator it was"], newest: "refused_at"
        ) { account in
            """
            (x.account = \(account)
                or x.instance in (select i.id from app_instance i where i.account = \(account)))
            """
        }
    ]

    /// Of operators it is told that one did it, and not which or from where.
    private static let operatorHidden: [String: SQL] = [
        "actor": "case when x.actor like 'admin:%' then 'admin' else x.actor end",
        "origin": "case when x.actor like 'admin:%' then null else x.origin end",
    ]

    private static let trail = [
        AccountHolding(
            "activity", in: "audit", tells: "at actor origin action node account reason outcome detail",
            withholds: ["id": "the line's number"], spelled: operatorHidden, newest: "id"
        ) { account in
            let name = account.uuidString.lowercased()
            // A phone may have been somebody else's before: lines that name another person are theirs.
            return """
                (x.account = \(account) or x.account is null and x.node = any (array(
                    select 'account:' || \(name)
                    union all select 'instance:' || i.id from app_instance i where i.account = \(account)
                    union all select 'session:' || s.id from browser_session s where s.account = \(account))))
                """
        },
        AccountHolding(
            "refusals", in: "audit_tally",
            tells: "minute action outcome reason node account actor origin count first_at last_at",
            withholds: ["id": "the line's number"], spelled: operatorHidden, newest: "id"
        ) { "x.account = \($0)" },
    ]
}
