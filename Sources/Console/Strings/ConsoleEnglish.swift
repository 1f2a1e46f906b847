extension ConsoleStrings {
    static let english = ConsoleStrings(
        language: .en,
        console: "Administration", overview: "Overview", menu: "Menu", yourAccount: "Your account",
        noRole: "You have no role here",
        noRoleText:
            "The administration is for people with a role in this federation. An administrator can give you one.",
        filter: "Filter", next: "Next page", first: "First page", nothing: "Nothing here.", actions: "What can be done",
        more: "All of these",
        yes: "yes", no: "no",
        show: "Show", preview: "Show what this would do", previewTitle: "What this would do",
        again: "Something has changed since you looked. This is what it would do now.",
        confirm: "Yes, do it", save: "Save",
        cancel: "Cancel", back: "Back",
        reason: "Reason", reasonHelp: "Kept in the audit trail.", oneALine: "One on each line.",
        fromFile: "What stands in the file.", choose: "(as it is)",
        done: "Done.", doneAlready: "It was so before; nothing has changed.",
        secretOnce: "This is shown once. Keep it now.", result: "Result",
        nothingEnds: "Nothing ends by it.", uncounted: "More ends than could be counted quickly.",
        tokensEnd: { $0 == 1 ? "1 token ends." : "\($0) tokens end." },
        servicesTold: { $0 == 1 ? "1 service is told." : "\($0) services are told." },
        browsersEnd: { $0 == 1 ? "1 browser is logged out." : "\($0) browsers are logged out." },
        warnings: [
            "apps versions refuse":
                """
            Every phone with this version is logged out at once, and none can register with it again \
            until it is allowed. People have to install another version and log in there anew.
            """,
            "apps refuse":
                """
            Every phone with this app, in whichever version, is logged out at once, and none can \
            register with it again until it is allowed.
            """,
            "accounts suspend":
                """
            The person can log in nowhere until they are let in again; what ends now does not come \
            back by that.
            """,
            "accounts delete":
                """
            This is for good: the name becomes free, and services will not know the person again.
            """,
            "services approve":
                """
            Apps find the service from now on, and people's logins reach it. Read its document, the \
            warnings and what has changed since on the page of the service first.
            """,
            "services remove":
                """
            Apps no longer find the service, and all that was issued for it ends.
            """,
            "epoch bump":
                """
            Everything ends: every login, every app, every token of everybody.
            """,
        ],
        ago: {
            switch $0 {
            case .moment: "just now"
            case .minutes(let count): count == 1 ? "1 minute ago" : "\(count) minutes ago"
            case .hours(let count): count == 1 ? "1 hour ago" : "\(count) hours ago"
            case .days(let count): "\(count) days ago"
            }
        },
        ahead: {
            switch $0 {
            case .moment: "now"
            case .minutes(let count): count == 1 ? "in 1 minute" : "in \(count) minutes"
            case .hours(let count): count == 1 ? "in 1 hour" : "in \(count) hours"
            case .days(let count): "in \(count) days"
            }
        })
}
