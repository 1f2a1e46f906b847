import Base

/// Templates of the server: for apps that ask their person, and for the IdP's own login. They say who asks, and from
/// where.
///
/// `login`: parameters `service`, `address`, and if known `browser`, `place`, `code` (what the page shows, to be
/// compared). `approval`: parameters `app`, `title`, `message`, and if known `address`. For an app, who asks and from
/// where is the server's word (`NewOperation`).
enum BuiltInTemplates {
    static let owner = "house"

    /// What apps may use: with `login` one could pass itself off as the server.
    static let ofApps: Set<String> = ["approval"]

    static func named(_ name: String) throws(BackOfficeRefusal) -> OperationTemplate? {
        switch name {
        case "login": try OperationTemplate(login)
        case "approval": try OperationTemplate(approval)
        default: nil
        }
    }

    private static let login: JSONValue = [
        "name": "login", "operationType": "login", "dataTemplate": "A2*R${service}*T${address}", "maxFailureCount": 5,
        "expiration": 180,
        "texts": .array([
            loginText(
                "en", "Login", "Are you logging in to ${service}?",
                ["Service", "From address", "Browser", "Place", "Code on the page"],
                ["Logged in", "Not logged in", "Login refused"]),
            loginText(
                "de", "Anmeldung", "Melden Sie sich gerade bei ${service} an?",
                ["Dienst", "Von Adresse", "Browser", "Ort", "Code auf der Seite"],
                ["Angemeldet", "Nicht angemeldet", "Anmeldung abgelehnt"]),
            loginText(
                "fr", "Connexion", "Vous connectez-vous à ${service} ?",
                ["Service", "Depuis l’adresse", "Navigateur", "Lieu", "Code sur la page"],
                ["Connecté", "Non connecté", "Connexion refusée"]),
            loginText(
                "it", "Accesso", "Sta accedendo a ${service}?",
                ["Servizio", "Dall’indirizzo", "Browser", "Luogo", "Codice sulla pagina"],
                ["Accesso eseguito", "Accesso non eseguito", "Accesso rifiutato"]),
        ]),
    ]

    private static let approval: JSONValue = [
        "name": "approval", "operationType": "approval", "dataTemplate": "A3*R${app}*T${title}*N${message}",
        "maxFailureCount": 5, "expiration": 300,
        "texts": .array([
            approvalText("en", "${app} asks", ["App", "From address"], ["Approved", "Not approved", "Refused"]),
            approvalText(
                "de", "${app} fragt an", ["App", "Von Adresse"], ["Genehmigt", "Nicht genehmigt", "Abgelehnt"]),
            approvalText(
                "fr", "${app} demande", ["Application", "Depuis l’adresse"], ["Approuvé", "Non approuvé", "Refusé"]),
            approvalText(
                "it", "${app} chiede", ["App", "Dall’indirizzo"], ["Approvato", "Non approvato", "Rifiutato"]),
        ]),
    ]

    private static func loginText(
        _ language: String, _ title: String, _ message: String, _ labels: [String], _ results: [String]
    ) -> JSONValue {
        let parameters = ["service", "address", "browser", "place", "code"]
        return text(language, title, message, results, zip(parameters, labels).map { keyValue("login.\($0)", $1, $0) })
    }

    private static func approvalText(
        _ language: String, _ title: String, _ labels: [String], _ results: [String]
    ) -> JSONValue {
        text(
            language, title, "${title}\n${message}", results,
            [
                keyValue("approval.app", labels[0], "app"), keyValue("approval.address", labels[1], "address"),
            ])
    }

    private static func text(
        _ language: String, _ title: String, _ message: String, _ results: [String], _ attributes: [JSONValue]
    ) -> JSONValue {
        [
            "language": .string(language), "title": .string(title), "message": .string(message),
            "resultTexts": [
                "success": .string(results[0]), "failure": .string(results[1]), "reject": .string(results[2]),
            ], "attributes": .array(attributes),
        ]
    }

    private static func keyValue(_ id: String, _ label: String, _ parameter: String) -> JSONValue {
        ["id": .string(id), "type": "KEY_VALUE", "text": .string(label), "params": ["value": .string(parameter)]]
    }
}
