import HTTP
import LDAP
import Testing

@testable import Upstream

@Suite("Settings of an LDAP directory")
struct DirectorySettingTests {
    private static let right: [Setting: String] = [
        .ldapURL: "ldaps://ldap.uni.example", .ldapBind: "uid={username},ou=people,dc=uni,dc=example",
        .ldapInstitution: "uni",
    ]

    private func values(_ changes: [Setting: String]) throws -> DirectoryValues? {
        try DirectoryValues(SettingValues(Self.right.merging(changes) { $1 }))
    }

    @Test("none is no directory; a right one is one")
    func right() throws {
        let none = try DirectoryValues(SettingValues([:])), some = try values([.ldapDomains: "Uni.example, x.example"])

        #expect(none == nil && some?.domains == ["uni.example", "x.example"] && some?.startsTLS == false)
        #expect(some?.map["family_name"] == "sn")
    }

    @Test(
        "what cannot be is refused, with what to write",
        arguments: [
            [.ldapURL: "http://ldap.uni.example"], [.ldapURL: "ldap://ldap.uni.example", .ldapTLS: "none"],
            [.ldapTLS: "perhaps"], [.ldapBind: ""], [.ldapBase: "dc=uni"], [.ldapBind: "uid=ada,dc=uni"],
            [.ldapBind: "", .ldapBase: "dc=uni", .ldapFilter: "(uid=ada)"], [.ldapUser: "cn=x"],
            [.ldapInstitution: ""], [.ldapMap: "mail"], [.ldapMap: "mail=king"], [.ldapMap: "ma)il=email"],
            [.ldapURL: ""],
        ] as [[Setting: String]])
    func refused(_ changes: [Setting: String]) {
        #expect(throws: UnacceptableSetting.self) { try values(changes) }
    }

    @Test("a directory on this machine needs no TLS; one elsewhere begins it")
    func encryption() throws {
        #expect(try values([.ldapURL: "ldap://localhost:389", .ldapTLS: "none"])?.startsTLS == false)
        #expect(try values([.ldapURL: "ldap://ldap.uni.example"])?.startsTLS == true)
    }

    @Test(
        "nothing that somebody types is syntax: of a filter (RFC 4515, 3), of a name (RFC 4514, 2.4)",
        arguments: [
            ("eva", "eva", "eva"), ("*", "\\2a", "*"), ("eva)(uid=*", "eva\\29\\28uid=\\2a", "eva)(uid\\3d*"),
            ("a,dc=x", "a,dc=x", "a\\2cdc\\3dx"), ("\\", "\\5c", "\\5c"), (" a ", " a ", "\\20a\\20"),
            ("é", "\\c3\\a9", "\\c3\\a9"), ("a\0b", "a\\00b", "a\\00b"), ("#a+b", "#a+b", "\\23a\\2bb"),
        ])
    func escaping(typed: String, filter: String, name: String) {
        #expect(LDAPName.inFilter(typed) == filter && LDAPName.inDN(typed) == name)
    }

    @Test("an empty password is wrong before anybody is asked")
    func empty() async throws {
        let directory = LDAPDirectory(
            .init(
                url: "ldap://127.0.0.1:1", startsTLS: false, authorities: nil, lookup: .pattern("uid={username}"),
                attributes: []))

        #expect(try await directory.logIn(username: "eva", login: "eva", password: "") == .wrong)
        #expect(try await directory.logIn(username: "eva", login: "eva", password: "a\0") == .wrong)
        #expect(try await directory.logIn(username: "", login: "", password: "a") == .wrong)
    }
}
