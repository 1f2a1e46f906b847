import Base
import Foundation
import HTTP
import LDAP

extension Setting {
    static let ldapURL = Setting(
        "ldap-url", "LDAP directory that knows people's passwords: ldaps://HOST[:PORT] or ldap://…; empty for none")
    static let ldapTLS = Setting(
        "ldap-tls", "whether ldap:// is encrypted first: starttls, or none for a directory on this machine",
        default: "starttls")
    static let ldapCA = Setting(
        "ldap-ca", "PEM file of authorities that the directory's certificate may be of; empty for the system's")
    static let ldapBind = Setting(
        "ldap-bind", "name of a person's entry: uid={username},ou=people,…; empty where it is searched for")
    static let ldapBase = Setting("ldap-base", "below which a person's entry is searched for")
    static let ldapFilter = Setting(
        "ldap-filter", "by what it is found: {username} is what was typed before an @, {login} all of it",
        default: "(uid={username})")
    static let ldapUser = Setting("ldap-user", "name of the entry that may search; empty where anybody may")
    static let ldapPasswordFile = Setting("ldap-password-file", "file with that entry's password")
    static let ldapDomains = Setting(
        "ldap-domains",
        "domains whose names, NAME@DOMAIN, are the directory's, commas between; empty for names without an @")
    static let ldapInstitution = Setting("ldap-institution", "id of the institution whose people these are")
    static let ldapMap = Setting(
        "ldap-map", "members of an account by the attribute that they come from: ATTRIBUTE=MEMBER, commas between",
        default: """
            displayName=name,givenName=given_name,sn=family_name,mail=email,\
            eduPersonPrincipalName=eduperson_principal_name,eduPersonAffiliation=eduperson_affiliation,\
            eduPersonScopedAffiliation=eduperson_scoped_affiliation,eduPersonEntitlement=eduperson_entitlement
            """)

    static let ofDirectory = [
        ldapURL, ldapTLS, ldapCA, ldapBind, ldapBase, ldapFilter, ldapUser, ldapPasswordFile, ldapDomains,
        ldapInstitution, ldapMap,
    ]
}

/// Where people's passwords are asked for besides, checked as far as it can be without reading files.
struct DirectoryValues: Sendable {
    let url: String
    let startsTLS: Bool
    let authorities: String?
    let institution: String
    /// In small letters; none: every name is the directory's.
    let domains: Set<String>
    /// Attributes by the member that they become.
    let map: [String: String]
    /// Attributes by which an entry is found, and whether that is by all of what was typed.
    let naming: [(attribute: String, isWhole: Bool)]
    /// The directory looks at the whole name that was typed, and at no part of it.
    let isAskedForAll: Bool
    private let pattern: String
    private let base: String
    private let filter: String
    private let user: String
    private let passwordFile: String

    /// `nil` where no directory is named. Throws `UnacceptableSetting`.
    init?(_ values: SettingValues) throws {
        url = values[.ldapURL]
        guard !url.isEmpty else {
            let others = [
                Setting.ldapCA, .ldapBind, .ldapBase, .ldapUser, .ldapPasswordFile, .ldapDomains, .ldapInstitution,
            ]
            if let set = others.first(where: { !values[$0].isEmpty }) {
                throw SettingValues.unacceptable(set, "it is nothing without ldap-url")
            }
            return nil
        }
        guard let match = url.wholeMatch(of: #/(ldaps?):\/\/(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.\-]+)(?::[0-9]{1,5})?\/?/#)
        else { throw SettingValues.unacceptable(.ldapURL, "write ldaps://HOST:PORT or ldap://HOST:PORT") }
        let isHere = ["localhost", "127.0.0.1", "[::1]"].contains(match.2.lowercased())
        switch (values[.ldapTLS], match.1) {
        case ("starttls", "ldap"): startsTLS = true
        case ("starttls", _), ("none", "ldaps"): startsTLS = false
        case ("none", _) where isHere: startsTLS = false
        case ("none", _):
            throw SettingValues.unacceptable(.ldapTLS, "passwords are secrets: none is for a directory on this machine")
        default: throw SettingValues.unacceptable(.ldapTLS, "write starttls or none")
        }
        authorities = values[.ldapCA].isEmpty ? nil : values[.ldapCA]
        (pattern, base, filter) = (values[.ldapBind], values[.ldapBase], values[.ldapFilter])
        (user, passwordFile) = (values[.ldapUser], values[.ldapPasswordFile])
        guard pattern.isEmpty != base.isEmpty else {
            throw SettingValues.unacceptable(.ldapBind, "name ldap-bind, or else ldap-base and ldap-filter")
        }
        guard (pattern.isEmpty ? filter : pattern).contains(#/\{(username|login)\}/#) else {
            throw SettingValues.unacceptable(
                pattern.isEmpty ? .ldapFilter : .ldapBind, "it holds {username} or {login}, or it finds one for all")
        }
        isAskedForAll = !(pattern.isEmpty ? filter : pattern).contains("{username}")
        naming = (pattern.isEmpty ? filter : pattern)
            .matches(of: #/([A-Za-z][A-Za-z0-9\-]{0,127})=\{(username|login)\}(?:[),+]|$)/#)
            .map { (String($0.1), $0.2 == "login") }
        guard user.isEmpty == passwordFile.isEmpty else {
            throw SettingValues.unacceptable(.ldapUser, "it goes with ldap-password-file, and is nothing without")
        }
        institution = values[.ldapInstitution]
        guard !institution.isEmpty else {
            throw SettingValues.unacceptable(.ldapInstitution, "whose people are these? Name an institution")
        }
        domains = Set(values.list(.ldapDomains).map { $0.lowercased() })
        map = try DirectoryValues.map(values)
    }

    private static func map(_ values: SettingValues) throws -> [String: String] {
        var map: [String: String] = [:]
        for entry in values.list(.ldapMap) {
            let (attribute, member) = try values.pair(entry, of: .ldapMap, example: "mail=email")
            guard PersonClaims.members.contains(member) else {
                throw SettingValues.unacceptable(
                    .ldapMap, "\(member) is none of \(PersonClaims.members.joined(separator: ", "))")
            }
            guard attribute.wholeMatch(of: #/[A-Za-z][A-Za-z0-9\-]{0,127}/#) != nil else {
                throw SettingValues.unacceptable(.ldapMap, "\(attribute) is no attribute")
            }
            map[member] = attribute
        }
        return map
    }

    /// Reads the file of the searching entry's password, where this process serves.
    func directory(isServing: Bool) throws -> LDAPDirectory {
        let lookup: LDAPDirectory.Lookup
        if pattern.isEmpty {
            var secret: String?
            if !user.isEmpty, isServing {
                secret = try SettingValues.read(passwordFile, .ldapPasswordFile).trimmingCharacters(in: .newlines)
                guard secret?.isEmpty == false else {
                    throw SettingValues.unacceptable(.ldapPasswordFile, "\(passwordFile) is empty")
                }
            }
            lookup = .search(base: base, filter: filter, user: user.isEmpty ? nil : user, password: secret)
        } else {
            lookup = .pattern(pattern)
        }
        return LDAPDirectory(
            .init(
                url: url, startsTLS: startsTLS, authorities: authorities, lookup: lookup,
                attributes: Set(map.values).union(naming.map(\.attribute)).sorted()))
    }
}
