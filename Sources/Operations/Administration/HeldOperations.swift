import Accounts
import HTTP
import Pages

extension HeldData {
    /// The approving phones of the IdP's people, what was asked of them, and what they were written.
    static let operations = [phones, approvals, messages]

    private static let phones = HeldData(
        AccountHolding(
            "approving_phones", in: "phone_registration",
            tells: """
                id application owner user_id state protocol algorithm commit_phase expires_at otp_validation otp_tries \
                device_key server_public failed max_failed look_ahead flags blocked_reason name platform device_info \
                external_id push_platform push_environment push_language blocked_until blocks created_at committed_at \
                last_used_at removed_at \
                device_mldsa server_mldsa is_biometric confirmed_at
                """,
            withholds: [
                "code_hash": AccountHolding.secret, "otp": AccountHolding.secret,
                "otp_sealed_by": AccountHolding.internals, "server_private": AccountHolding.secret,
                "server_sealed_by": AccountHolding.internals, "secrets": AccountHolding.secret,
                "secrets_sealed_by": AccountHolding.internals, "upgrade": AccountHolding.secret,
                "upgrade_sealed_by": AccountHolding.internals, "ctr_data": AccountHolding.secret,
                "ctr_byte": AccountHolding.secret, "push_token": "who knows it rings the phone",
                "begun_by": AccountHolding.internals, "lineage": AccountHolding.internals,
            ], newest: "created_at"
        ) { "x.owner = 'house' and x.user_id = \($0.uuidString.lowercased())" }
    ) {
        switch $0 {
        case .en: "Approving phones"
        case .de: "Telefone, die bestätigen"
        case .fr: "Téléphones qui confirment"
        case .it: "Telefoni che confermano"
        }
    }

    private static let approvals = HeldData(
        AccountHolding(
            "approvals", in: "phone_operation",
            tells: """
                id owner application template user_id registration flag external_id language data parameters \
                additional_data custom_properties attributes offline_uri silent status status_reason failures \
                max_failures reject_reason mobile_token_data proximity_report \
                finished_by factor created_at expires_at finished_at
                """,
            withholds: [
                "number": AccountHolding.internals, "seed": AccountHolding.secret,
                "sealed_by": AccountHolding.internals, "begun_by": AccountHolding.internals,
                "lineage": AccountHolding.internals, "version": AccountHolding.internals,
            ], newest: "number"
        ) { "x.owner = 'house' and x.user_id = \($0.uuidString.lowercased())" }
    ) {
        switch $0 {
        case .en: "What you were asked to approve"
        case .de: "Was Sie bestätigen sollten"
        case .fr: "Ce que vous deviez confirmer"
        case .it: "Ciò che doveva confermare"
        }
    }

    private static let messages = HeldData(
        AccountHolding(
            "messages", in: "phone_inbox_message",
            tells: "id owner application user_id subject summary body type read_at created_at",
            withholds: ["number": AccountHolding.internals], newest: "number"
        ) { account in
            """
            x.owner = 'house' and x.user_id = \(account.uuidString.lowercased())
                and x.application in (select p.id from phone_application p where p.owner = 'house')
            """
        }
    ) {
        switch $0 {
        case .en: "Messages"
        case .de: "Nachrichten"
        case .fr: "Messages"
        case .it: "Messaggi"
        }
    }
}
