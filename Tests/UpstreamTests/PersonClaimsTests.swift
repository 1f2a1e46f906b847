import Accounts
import Base
import Foundation
import Testing

@testable import Upstream

@Suite("What a provider says of a person, as members of an account")
struct PersonClaimsTests {
    private func person(
        _ claims: JSONObject, names: [String: String] = [:], isVerified: Bool = true
    ) -> PersonClaims {
        PersonClaims(claims, names: names, isVerified: isVerified, owns: { $0 == "uni.example" })
    }

    @Test("scoped values count in the institution's own domains")
    func scopes() {
        let told = person([
            "eduperson_principal_name": "eva@other.example", "eduperson_unique_id": "1@uni.example",
            "schac_home_organization": "other.example", "groups": ["a@uni.example", "b@other.example", "c"],
        ])

        #expect(told.principalName == nil && told.attributes.values[.uniqueID] == ["1@uni.example"])
        #expect(told.attributes.values[.homeOrganization] == nil)
        #expect(told.attributes.values[.groups] == ["a@uni.example"])
    }

    @Test("an address counts where it is verified and the institution's", arguments: [true, false])
    func addresses(isVerified: Bool) {
        #expect(
            (person(["email": "eva@uni.example"], isVerified: isVerified).email != nil) == isVerified)
        #expect(person(["email": "eva@other.example"]).email == nil)
        #expect(person(["email": "eva@uni.example@uni.example"]).email == nil)
    }

    @Test("claims of other names become members by the table, and values that cannot be are passed over")
    func table() {
        let told = person(
            ["upn": "eva", "affiliations": ["staff", "king"], "name": "a\nb"],
            names: ["username": "upn", "eduperson_affiliation": "affiliations"])

        #expect(told.username == "eva" && told.attributes.values[.affiliation] == ["staff"])
        #expect(told.texts[.name] == nil)
    }

    @Test(
        "a new account has a name of plain letters, or none of these",
        arguments: [
            ("Eva.Example", "eva.example"), ("eva@uni.example", "eva"), ("-eva-", "eva"), ("évà", nil), ("x", nil),
            ("<script>", nil), ("11111111-1111-1111-1111-111111111111", nil),
        ] as [(String, String?)])
    func usernames(said: String, name: String?) {
        #expect(NewUsername.wanted(person(["preferred_username": .string(said)])) == name)
    }
}
