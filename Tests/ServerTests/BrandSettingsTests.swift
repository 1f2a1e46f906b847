import Foundation
import HTTP
import Pages
import Testing

@testable import Server

@Suite("settings of the brand")
struct BrandSettingsTests {
    private func brand(_ values: [Setting: String]) throws -> Brand { try BrandSettings.brand(SettingValues(values)) }

    private func file(_ name: String, _ data: Data) throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())-\(name)")
        try data.write(to: file)
        return file.path
    }

    @Test("nobody's brand is Pando's")
    func none() throws {
        #expect(try brand([:]) === Brand.pando)
        #expect(try brand([.brandName: "Hochschule"]).name == "Hochschule")
    }

    @Test(
        "what cannot stand is refused with what to write",
        arguments: [
            (Setting.brandName, " "), (.brandName, String(repeating: "x", count: 61)), (.brandColor, "green"),
            (.brandColor, "#ffee00"), (.brandLogo, "/nonexistent.svg"), (.brandHome, "/nonexistent.json"),
            (.supportURL, "javascript:alert(1)"), (.supportURL, "mailto:\"><script>@x"), (.privacyURL, "http://x.org"),
            (.termsURL, "mailto:a@example.org"), (.securityContact, "security@example.org"),
            (.securityContact, "http://example.org/security"), (.securityContact, "tel:117"),
            (.securityContact, "mailto:a@example.org\nExpires: 2099-01-01T00:00:00Z"),
            (.securityContact, "https://example.org/a\nContact: mailto:eve@example.net"),
            (.securityContact, "tel:+41-44-1\nContact: tel:+4144000000"),
        ])
    func refused(setting: Setting, value: String) throws {
        let refused = try #require(throws: UnacceptableSetting.self) { _ = try brand([setting: value]) }

        #expect(refused.description.hasPrefix(setting.name + ": "))
    }

    @Test(
        "holes are told by mail, on a page or by telephone",
        arguments: ["mailto:security@example.org", "https://example.org/security", "tel:+41-44-000-00-00"])
    func contact(_ uri: String) throws {
        #expect(try brand([.securityContact: uri]).securityContact == uri)
    }

    @Test("a colour that is too light is refused with the nearest that is not")
    func colour() throws {
        let refused = try #require(throws: UnacceptableSetting.self) { _ = try brand([.brandColor: "#ffee00"]) }

        #expect(refused.description.firstMatch(of: #/the nearest that has that is #[0-9a-f]{6}/#) != nil)
    }

    @Test("a logo is SVG or PNG by what is in it, and not large")
    func logo() throws {
        let png = try file("a.svg", Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]))
        let svg = try file("a.png", Data("<?xml version=\"1.0\"?>\n<svg/>".utf8))
        let page = try file("b.svg", Data("<html>".utf8)), large = try file("c.svg", Data(count: 300 << 10))
        defer { for path in [png, svg, page, large] { try? FileManager.default.removeItem(atPath: path) } }

        #expect(try brand([.brandLogo: png]).logo?.type == "image/png")
        #expect(try brand([.brandLogo: svg]).logo?.type == "image/svg+xml")
        #expect(throws: UnacceptableSetting.self) { try brand([.brandLogo: page]) }
        #expect(throws: UnacceptableSetting.self) { try brand([.brandLogo: large]) }
    }

    @Test(
        "words of the home page that cannot be shown are refused",
        arguments: [
            "[]", #"{"xx": {"title": "a", "text": "b"}}"#, #"{"de": {"title": "", "text": "b"}}"#,
            #"{"de": {"title": "a"}}"#, #"{"de": {"title": "a", "text": []}}"#, #"{"de": {"title": "a", "text": [1]}}"#,
        ])
    func home(text: String) throws {
        let path = try file("home.json", Data(text.utf8))
        defer { try? FileManager.default.removeItem(atPath: path) }

        #expect(throws: UnacceptableSetting.self) { try brand([.brandHome: path]) }
    }
}
