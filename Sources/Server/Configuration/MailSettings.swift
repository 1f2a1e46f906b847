import Base
import Foundation
import HTTP
import IdentityProvider
import Mail
import Traces

extension Setting {
    public static let mailServer = Setting(
        "mail-server", "URL of the server that takes mail: smtp://HOST[:PORT] or smtps://HOST[:PORT]; empty for none")
    public static let mailFrom = Setting(
        "mail-from", "whom mail is from: an address, or NAME <ADDRESS>; needed with mail-server")
    public static let mailUser = Setting("mail-user", "user at the mail server; empty where it asks for none")
    public static let mailPasswordFile = Setting("mail-password-file", "file with that user's password")
    public static let mailTLS = Setting(
        "mail-tls", "whether mail must be handed over encrypted: required, or none for a server on this machine",
        default: "required")
    public static let mailCA = Setting(
        "mail-ca", "PEM file of authorities that the mail server's certificate may be of; empty for the system's")
    public static let mailLanguage = Setting(
        "mail-language", "language of mail to people of whom nobody knows theirs: en, de, fr, it", default: "en")

    static let ofMail = [mailServer, mailFrom, mailUser, mailPasswordFile, mailTLS, mailCA, mailLanguage]
}

/// How this server sends mail; without `mail-server` it sends none.
public struct MailSettings: Sendable {
    let url: String
    let from: MailSender
    let language: String
    private let user: String
    private let passwordFile: String
    private let needsTLS: Bool
    private let authorities: String

    /// `nil` where no mail server is named. Throws `UnacceptableSetting`.
    init?(_ values: SettingValues) throws {
        let others = [Setting.mailFrom, .mailUser, .mailPasswordFile, .mailCA]
        url = values[.mailServer]
        guard !url.isEmpty else {
            if let set = others.first(where: { !values[$0].isEmpty }) {
                throw SettingValues.unacceptable(set, "it is nothing without mail-server")
            }
            return nil
        }
        guard let match = url.wholeMatch(of: #/(smtps?):\/\/(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.\-]+)(?::[0-9]{1,5})?\/?/#)
        else { throw SettingValues.unacceptable(.mailServer, "write smtp://HOST:PORT or smtps://HOST:PORT") }
        guard let from = MailSender(values[.mailFrom]) else {
            throw SettingValues.unacceptable(.mailFrom, "write an address, or NAME <ADDRESS>")
        }
        let isHere = ["localhost", "127.0.0.1", "[::1]"].contains(match.2.lowercased())
        switch values[.mailTLS] {
        case "required": needsTLS = true
        case "none" where isHere && match.1 == "smtp": needsTLS = false
        case "none":
            throw SettingValues.unacceptable(
                .mailTLS, "links in mail are secrets: none is for a server on this machine")
        default: throw SettingValues.unacceptable(.mailTLS, "write required or none")
        }
        guard ["en", "de", "fr", "it"].contains(values[.mailLanguage]) else {
            throw SettingValues.unacceptable(.mailLanguage, "write en, de, fr or it")
        }
        (self.from, language) = (from, values[.mailLanguage])
        (user, passwordFile, authorities) = (values[.mailUser], values[.mailPasswordFile], values[.mailCA])
        guard user.isEmpty == passwordFile.isEmpty else {
            throw UnacceptableSetting(description: "mail-user, mail-password-file: one is nothing without the other")
        }
    }

    /// Reads the password's file.
    func sending() throws -> MailWorker.Sending {
        var login: (user: String, password: String)?
        if !user.isEmpty {
            let password = try SettingValues.read(passwordFile, .mailPasswordFile)
            login = (user, password.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        if !authorities.isEmpty { _ = try SettingValues.read(authorities, .mailCA) }
        let server = SMTPServer(
            url: url, login: login, needsTLS: needsTLS, authorities: authorities.isEmpty ? nil : authorities)
        return MailWorker.Sending(from: from, language: language) { message in
            await Phase.run("hand over mail", .client) { await server.send(message) }
        }
    }
}
