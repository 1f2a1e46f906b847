import Base

/// `ui` of an operation: what the template says, then what its risk flags ask for; the template's word wins, member by
/// member (protocols/operations.md, 2.2).
struct ScreenRendering: Sendable {
    private let written: JSONObject?
    private let risk: RiskFlags
    private let isProximityChecked: Bool
    private let words: Words

    init(_ written: JSONObject?, _ risk: RiskFlags, isProximityChecked: Bool, language: String?) {
        (self.written, self.risk, self.isProximityChecked) = (written, risk, isProximityChecked)
        words = Words(language)
    }

    /// Empty where nothing is to be said.
    func json(_ values: OperationParameters) -> JSONObject {
        var ui = JSONObject()
        if risk.flipButtons { ui["flipButtons"] = true }
        if risk.blockOnCall { ui["blockApprovalOnCall"] = true }
        if isProximityChecked {
            ui["preApprovalScreen"] = screen("QR_SCAN", words.scan)
        } else if risk.fraud {
            ui["preApprovalScreen"] = screen("WARNING", words.warning)
        }
        for (name, value) in written ?? [:] {
            // Placeholders in there are the SDKs' own, for attributes.
            let filled = name == "templates" ? value : OperationRendering.filled(value, values)
            if let asked = isProximityChecked ? filled : withoutScans(name, filled) { ui[name] = asked }
        }
        return ui
    }

    /// The app must not ask for a code that nobody shows. `none`: nothing is left.
    private func withoutScans(_ name: String, _ value: JSONValue) -> JSONValue? {
        func isScan(_ screen: JSONValue) -> Bool { screen["type"]?.string == "QR_SCAN" }
        switch name {
        case "preApprovalScreen": return isScan(value) ? Optional.none : value
        case "preApprovalScreens":
            let kept = (value.array ?? []).filter { !isScan($0) }
            return kept.isEmpty ? Optional.none : .array(kept)
        default: return value
        }
    }

    /// With heading and message, without which Android crashes.
    private func screen(_ type: String, _ words: (heading: String, message: String)) -> JSONValue {
        ["type": .string(type), "heading": .string(words.heading), "message": .string(words.message)]
    }

    private struct Words: Sendable {
        let scan: (heading: String, message: String)
        let warning: (heading: String, message: String)

        init(_ language: String?) {
            switch String((language ?? "").lowercased().prefix { $0 != "-" }) {
            case "de":
                scan = ("Code scannen", "Scannen Sie den Code auf dem Bildschirm, auf dem Sie begonnen haben.")
                warning = ("Vorsicht", "Das könnte ein Betrug sein. Genehmigen Sie nur, was Sie selbst begonnen haben.")
            case "fr":
                scan = ("Scannez le code", "Scannez le code affiché sur l’écran où vous avez commencé.")
                warning = (
                    "Attention", "Ceci pourrait être une fraude. N’approuvez que ce que vous avez commencé vous-même."
                )
            case "it":
                scan = ("Scansioni il codice", "Scansioni il codice sullo schermo su cui ha iniziato.")
                warning = ("Attenzione", "Potrebbe essere una frode. Approvi solo ciò che ha iniziato Lei.")
            default:
                scan = ("Scan the code", "Scan the code on the screen where you began.")
                warning = ("Watch out", "This may be a fraud. Approve only what you began yourself.")
            }
        }
    }
}
