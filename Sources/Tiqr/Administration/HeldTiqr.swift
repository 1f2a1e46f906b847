import Accounts
import HTTP
import Pages

extension HeldData {
    /// The phones of the IdP's people, what they are just setting up, and logins that wait for one.
    static let tiqr = [phones, setups, logins]

    private static let phones = HeldData(
        AccountHolding(
            "tiqr_phones", in: "tiqr_identity",
            tells: """
                identity owner identifier suite display_name external_id failures blocked_until blocked_for_good \
                block_step push_type language created_at last_login_at
                """,
            withholds: [
                "secret": AccountHolding.secret, "sealed_by": AccountHolding.internals,
                "push_address": "who knows it rings the phone",
            ], newest: "created_at"
        ) { "x.owner = 'house' and x.external_id = \($0.uuidString.lowercased())" }
    ) {
        switch $0 {
        case .en: "tiqr phones"
        case .de: "Telefone mit tiqr"
        case .fr: "Téléphones avec tiqr"
        case .it: "Telefoni con tiqr"
        }
    }

    private static let setups = HeldData(
        AccountHolding(
            "tiqr_setups", in: "tiqr_enrollment",
            tells: "owner identifier suite identity display_name external_id state created_at expires_at",
            withholds: [
                "id": AccountHolding.secret, "key_hash": AccountHolding.secret, "secret_hash": AccountHolding.secret,
                "begun_by": AccountHolding.internals, "lineage": AccountHolding.internals,
                "version": AccountHolding.internals,
            ], newest: "created_at"
        ) { "x.owner = 'house' and x.external_id = \($0.uuidString.lowercased())" }
    ) {
        switch $0 {
        case .en: "tiqr phones that are being set up"
        case .de: "Telefone mit tiqr, die gerade eingerichtet werden"
        case .fr: "Téléphones avec tiqr en cours de configuration"
        case .it: "Telefoni con tiqr in fase di configurazione"
        }
    }

    private static let logins = HeldData(
        AccountHolding(
            "tiqr_logins", in: "tiqr_authentication",
            tells: """
                owner identifier identity external_id service_provider state failures answered_by method \
                number_state authenticated_at created_at expires_at
                """,
            withholds: [
                "id": AccountHolding.secret, "session_hash": AccountHolding.secret, "question": AccountHolding.secret,
                "number": AccountHolding.secret, "return_url": "an address of one use",
                "begun_by": AccountHolding.internals,
                "lineage": AccountHolding.internals, "version": AccountHolding.internals,
            ], newest: "created_at"
        ) { account in
            let name = account.uuidString.lowercased()
            return """
                x.owner = 'house' and (x.external_id = \(name) or x.identity in (select i.identity
                    from tiqr_identity i where i.owner = 'house' and i.external_id = \(name)))
                """
        }
    ) {
        switch $0 {
        case .en: "Logins with tiqr in the last minutes"
        case .de: "Anmeldungen mit tiqr in den letzten Minuten"
        case .fr: "Connexions avec tiqr des dernières minutes"
        case .it: "Accessi con tiqr degli ultimi minuti"
        }
    }
}
