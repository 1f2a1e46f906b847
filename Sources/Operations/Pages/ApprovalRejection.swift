import Pages

extension PhoneEndingPage.Ending {
    /// With the phone's word for why, or whatever else it wrote there.
    static func rejected(_ reason: String?, in language: Language) -> PhoneEndingPage.Ending {
        let own = language.approval
        let why = reason.flatMap { text($0, own) }.map { PhoneEndingPage.Reason(label: own.reason, text: $0) }
        return .other(own.rejected, reason: why)
    }

    /// The words of the SDK's own reasons (protocols/operations.md, 1.2); what an app wrote itself is shown as it is,
    /// and `UNKNOWN` says nothing.
    private static func text(_ reason: String, _ strings: SharedStrings<ApprovalStrings>) -> String? {
        switch reason {
        case "UNKNOWN", "PREAPPROVAL": nil
        case "UNEXPECTED_OPERATION": strings.unexpected
        case "INCORRECT_DATA": strings.incorrect
        default: ShownText.tidy(reason)
        }
    }
}
