import Base
import Foundation
import HTTP
import Pages

extension Setting {
    public static let brandName = Setting(
        "brand-name", "what this server is called on its pages and in its mail", default: "Pando", namesServer: true)
    public static let brandLogo = Setting(
        "brand-logo", "SVG or PNG file shown in place of the leaf, at most 256 KB; empty for the leaf")
    public static let brandColor = Setting(
        "brand-color", "colour of buttons and links, #rrggbb; text of it must be readable; empty for Pando's green")
    public static let brandHome = Setting(
        "brand-home", "JSON file with what the home page says, by language; empty for Pando's words")
    public static let supportURL = Setting(
        "support-url", "where people get help: https or mailto; at the foot of pages")
    public static let privacyURL = Setting("privacy-url", "your privacy policy; at the foot of pages")
    public static let termsURL = Setting("terms-url", "your terms of use; at the foot of pages")
    public static let securityContact = Setting(
        "security-contact",
        "whom to tell of a hole in this server: mailto, https or tel; in /.well-known/security.txt; empty for none")

    static let ofBrand = [
        brandName, brandLogo, brandColor, brandHome, supportURL, privacyURL, termsURL, securityContact,
    ]
}

/// Under whose name this server shows itself.
enum BrandSettings {
    private static let largestLogo = 256 << 10, longest = 60
    private static let all: [Setting] = Setting.ofBrand

    /// Reads the files that are named. Throws `UnacceptableSetting`.
    static func brand(_ values: SettingValues) throws -> Brand {
        guard all.contains(where: { values[$0] != $0.fallback }) else { return .pando }
        let name = values[.brandName].trimmingCharacters(in: .whitespaces)
        guard (1...longest).contains(name.count) else {
            throw SettingValues.unacceptable(.brandName, "write 1 to \(longest) characters")
        }
        return Brand(
            name: name, logo: try logo(values[.brandLogo]), colours: try colours(values[.brandColor]),
            support: try link(.supportURL, values), privacy: try link(.privacyURL, values),
            terms: try link(.termsURL, values), home: try home(values[.brandHome]),
            securityContact: try link(.securityContact, values))
    }

    private static func link(_ setting: Setting, _ values: SettingValues) throws -> String? {
        let text = values[setting]
        if setting == .securityContact, text.hasPrefix("tel:") {
            guard text.wholeMatch(of: #/tel:\+[0-9](?:-?[0-9]){4,19}/#) != nil else {
                throw SettingValues.unacceptable(setting, "write tel:+NUMBER, with digits and hyphens (RFC 3966)")
            }
            return text
        }
        if setting == .supportURL || setting == .securityContact, text.hasPrefix("mailto:") {
            guard
                text.wholeMatch(of: #/mailto:[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+(\?subject=[A-Za-z0-9%._\-]*)?/#) != nil
            else { throw SettingValues.unacceptable(setting, "write mailto:ADDRESS, or an https URL") }
            return text
        }
        return try values.url(setting)
    }

    private static func colours(_ text: String) throws -> BrandColours? {
        guard !text.isEmpty else { return nil }
        do {
            guard let colours = try BrandColours(text) else {
                throw SettingValues.unacceptable(.brandColor, "\(text) is no colour; write #rrggbb")
            }
            return colours
        } catch let unreadable as BrandColours.Unreadable {
            throw SettingValues.unacceptable(.brandColor, unreadable.description)
        }
    }

    private static func logo(_ path: String) throws -> Brand.Logo? {
        guard !path.isEmpty else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SettingValues.unacceptable(.brandLogo, "\(path) cannot be read")
        }
        guard data.count <= largestLogo else {
            throw SettingValues.unacceptable(.brandLogo, "\(path) is larger than 256 KB")
        }
        let bytes = Array(data),
            version = Base64URL.encode(Digest.sha256(String(decoding: data, as: UTF8.self)).prefix(6))
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            return Brand.Logo(bytes: bytes, type: "image/png", version: version)
        }
        let head = String(decoding: bytes.prefix(4_096), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard head.hasPrefix("<svg") || head.hasPrefix("<?xml") && head.contains("<svg") || head.hasPrefix("<!--")
        else {
            throw SettingValues.unacceptable(.brandLogo, "\(path) is neither SVG nor PNG")
        }
        return Brand.Logo(bytes: bytes, type: "image/svg+xml", version: version)
    }

    /// `{"en": {"title": "…", "text": ["…", …]}, "de": …}`.
    private static func home(_ path: String) throws -> [Language: Brand.Home] {
        guard !path.isEmpty else { return [:] }
        let text = try SettingValues.read(path, .brandHome)
        guard let object = try? JSONReader.read(text.utf8).object else {
            throw SettingValues.unacceptable(.brandHome, "\(path) is no JSON object")
        }
        var home: [Language: Brand.Home] = [:]
        for (code, said) in object {
            guard let language = Language(rawValue: code) else {
                throw SettingValues.unacceptable(.brandHome, "\(code) is no language of the pages: en, de, fr, it")
            }
            let paragraphs = said["text"]?.string.map { [$0] } ?? said["text"]?.strings
            guard let title = said["title"]?.string, (1...100).contains(title.count), let paragraphs,
                (1...8).contains(paragraphs.count), paragraphs.allSatisfy({ (1...2_000).contains($0.count) })
            else {
                throw SettingValues.unacceptable(
                    .brandHome, "\(code) wants a title of 100 characters at most, and text: up to 8 paragraphs")
            }
            home[language] = Brand.Home(title: title, paragraphs: paragraphs)
        }
        return home
    }
}
