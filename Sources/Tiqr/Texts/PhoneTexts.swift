import Base
import Foundation
import HTTP
import Pages

/// What phones are told in words, in the language that their app told: the operator's words where there are some
/// (`tiqr-texts`), else those here. A language that nobody here has words in is English.
public struct PhoneTexts: Sendable {
    /// Only those here.
    public static let ours = PhoneTexts(operators: [:])

    /// By primary subtag (RFC 5646, 2.2.1); `{service}` stands for who asks.
    private let operators: [String: String]

    private init(operators: [String: String]) { self.operators = operators }

    /// From the file of `tiqr-texts`: an object of texts by language, each with `{service}` in it, so that nobody
    /// confirms without reading what for.
    public init(json: [UInt8]) throws {
        guard case .object(let members)? = try? JSONReader.read(json) else {
            throw PhoneTexts.unacceptable("is not a JSON object of texts by language")
        }
        var texts: [String: String] = [:]
        for (tag, value) in members {
            guard let language = PhoneLanguage(tag), language.subtag == tag else {
                throw PhoneTexts.unacceptable("has \(tag.prefix(40)), which is no language such as en")
            }
            guard let text = value.string, text.contains(PhoneTexts.service), text.utf8.count <= 400,
                !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else {
                throw PhoneTexts.unacceptable(
                    "has no text for \(tag) of one line, at most 400 bytes, with \(PhoneTexts.service) in it")
            }
            texts[tag] = text
        }
        operators = texts
    }

    private static let service = "{service}"

    private static func unacceptable(_ why: String) -> UnacceptableSetting {
        UnacceptableSetting(description: "tiqr-texts: the file \(why)")
    }

    /// What a push says. `language` as the row of the phone has it.
    func push(for service: String, number: String? = nil, in language: String?) -> String {
        let text = language.flatMap { operators[$0] } ?? ours(language) ?? operators["en"] ?? PhoneTexts.english
        let said = text.replacing(PhoneTexts.service, with: service)
        return number.map { "\(said). \(PhoneTexts.number(language)) \($0)" } ?? said
    }

    /// What iOS shows word for word where an enrollment is refused (protocols/tiqr.md, 1.7).
    static func enrollmentOver(_ language: PhoneLanguage?) -> String {
        switch language.flatMap({ Language(rawValue: $0.subtag) }) ?? .en {
        case .en: "the enrollment is unknown, used or expired"
        case .de: "Diese Einrichtung ist unbekannt, schon benutzt oder abgelaufen."
        case .fr: "Cette configuration est inconnue, déjà utilisée ou expirée."
        case .it: "Questa configurazione è sconosciuta, già usata o scaduta."
        }
    }

    private static func number(_ language: String?) -> String {
        switch language.flatMap(Language.init(rawValue:)) {
        case .de: "Zahl für die Anmeldeseite:"
        case .fr: "Nombre pour la page de connexion\u{A0}:"
        case .it: "Numero per la pagina di accesso:"
        case .en, nil: "Number for the login page:"
        }
    }

    private static let english = "Please authenticate for \(service)"

    private func ours(_ language: String?) -> String? {
        switch language.flatMap(Language.init(rawValue:)) {
        case .de: "Bitte bestätigen Sie die Anmeldung bei \(PhoneTexts.service)"
        case .fr: "Veuillez confirmer la connexion à \(PhoneTexts.service)"
        case .it: "La preghiamo di confermare l’accesso a \(PhoneTexts.service)"
        case .en, nil: nil
        }
    }
}
