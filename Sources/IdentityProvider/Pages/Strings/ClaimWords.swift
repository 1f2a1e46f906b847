import Pages

/// What institutions say of their people (`PersonAttribute`), in words for the people: on the consent page and in the
/// list of who was told what.
enum ClaimWords {
    /// The claim's own name where there are no words for it.
    static func text(_ claim: String, _ language: Language) -> String {
        guard let words = names[claim] else { return claim }
        return switch language {
        case .en: words.english
        case .de: words.german
        case .fr: words.french
        case .it: words.italian
        }
    }

    /// Over single claims on the consent page.
    static func title(_ language: Language) -> String {
        switch language {
        case .en: "More about you"
        case .de: "Weiteres über Sie"
        case .fr: "Autres informations sur vous"
        case .it: "Altre informazioni su di lei"
        }
    }

    /// `Affiliation: staff`.
    static func labelled(_ claim: String, _ value: String, _ language: Language) -> String {
        let label = language.branches.told.claim(claim)
        return language == .fr ? "\(label)\u{A0}: \(value)" : "\(label): \(value)"
    }

    private typealias Words = (english: String, german: String, french: String, italian: String)

    private static let names: [String: Words] = [
        "eduperson_principal_name": (
            "Name at your institution", "Kennung bei Ihrer Einrichtung", "Identifiant dans votre institution",
            "Nome presso la sua istituzione"
        ),
        "eduperson_unique_id": (
            "Lasting identifier", "Dauerhafte Kennung", "Identifiant permanent", "Identificativo permanente"
        ),
        "eduperson_affiliation": ("Affiliation", "Zugehörigkeit", "Affiliation", "Affiliazione"),
        "eduperson_primary_affiliation": (
            "Main affiliation", "Hauptsächliche Zugehörigkeit", "Affiliation principale", "Affiliazione principale"
        ),
        "eduperson_scoped_affiliation": (
            "Affiliation with an institution", "Zugehörigkeit zu einer Einrichtung", "Affiliation à une institution",
            "Affiliazione a un’istituzione"
        ),
        "eduperson_entitlement": ("Entitlement", "Berechtigung", "Droit d’accès", "Diritto di accesso"),
        "eduperson_assurance": (
            "How sure your identity is", "Wie gesichert Ihre Identität ist", "Fiabilité de votre identité",
            "Affidabilità della sua identità"
        ),
        "eduperson_orcid": ("ORCID", "ORCID", "ORCID", "ORCID"),
        "schac_home_organization": (
            "Home institution", "Heimateinrichtung", "Institution d’origine", "Istituzione di appartenenza"
        ),
        "schac_home_organization_type": (
            "Kind of home institution", "Art der Heimateinrichtung", "Type d’institution d’origine",
            "Tipo di istituzione di appartenenza"
        ),
        "schac_personal_unique_code": (
            "Personal number, as of a student", "Persönliche Nummer, etwa Matrikelnummer",
            "Numéro personnel, par exemple d’étudiant", "Numero personale, per esempio di matricola"
        ),
        "groups": ("Groups", "Gruppen", "Groupes", "Gruppi"),
        "institution": ("Institution", "Einrichtung", "Institution", "Istituzione"),
        "roles": (
            "What you administer in the federation", "Was Sie in der Föderation verwalten",
            "Ce que vous administrez dans la fédération", "Ciò che lei amministra nella federazione"
        ),
    ]
}
