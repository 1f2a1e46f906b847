import Pages

extension AccountTreeStrings {
    static let english = AccountTreeStrings(
        tree: Tree(
            services: "Services opened with it", apps: "Apps that have access there",
            onlyService: "Only the service knows which apps have access there.",
            phoneStays: "Other phones, your browsers and the applications that you allowed something go on.",
            applicationStays: "Your phones, your browsers and other applications go on.",
            browserStays: "Your phones and other browsers go on, and what applications may do while you are away.",
            service: Cut(
                verb: "End access", ends: "Everything that was opened at this service from here ends, with all apps.",
                stays: "All else from here goes on. At the next use, access is opened anew."),
            everywhere: Cut(
                verb: "End everywhere",
                ends: "Everything that you opened at this service ends, on every phone and in every application.",
                stays: "Other services go on. At the next use, access is opened anew."),
            app: Cut(
                verb: "End access", ends: "This app loses its access to this service.",
                stays: "The service itself and other apps go on. The app can be let in anew."),
            allPhones: Cut(
                verb: "Disconnect all phones", ends: "Everything that your phones may do ends at once.",
                stays: "Your browsers and applications go on. You can log in again on each phone."),
            otherBrowsers: Cut(
                verb: "End all others", ends: "You are logged out in every browser but this one.",
                stays: "This browser and your phones go on."),
            ended: "The access has ended.", othersEnded: "All others have ended."),
        activity: Activity(
            title: "Recent activity", lead: "What happened in your account lately, the latest first.",
            none: "Nothing has happened yet.", about: "Concerns", when: "When", place: "From the network",
            notMe: "That was not me", back: "Back to your account", times: { "\($0) times" },
            kind: {
                switch $0 {
                case .login: "Login in a browser"
                case .loginAgain: "Another login in the same browser"
                case .appLogin: "Login with an app"
                case .newPhone: "First login with a new phone"
                case .refusedLogin: "A login was refused"
                case .passwordChanged: "The password was changed"
                case .refusedPassword: "A change of the password was refused"
                case .consent: "An application was allowed something"
                case .phoneChanged: "A phone was described anew"
                case .ended: "An access was ended"
                case .factorChanged: "A change to what you log in with"
                case .passwordReset: "A new password was set by a link"
                case .firstPassword: "The first password was set by a link"
                case .cutByMail: "A link in a mail ended what somebody else did"
                case .addressChanged: "The e-mail address was changed"
                case .addressVerified: "The e-mail address was confirmed"
                case .codesMade: "Recovery codes were made"
                case .codesUsed: "A recovery code was used"
                case .codesRemoved: "The recovery codes were removed"
                case .branchEnded: "The access to a service was ended"
                case .consentWithdrawn: "An application’s permission was withdrawn"
                case .exported: "Your data were exported"
                case .listEmptied: "The list of who was told something was emptied"
                case .refusedDeletion: "A deletion of the account was refused"
                case .invited: "Your institution sent a link for a password"
                case .refusedAtService: "Your institution keeps you out of a service"
                case .allowedAtService: "Your institution lets you use a service again"
                case .byOperator: "Your institution changed something"
                case .other: "A change to your account"
                }
            }),
        notMe: NotMe(
            title: "That was not you?", happened: "This happened:",
            nobodyIn: "Nobody got in by it. If somebody may know your password, please change it.",
            over: "What it opened has ended already. If somebody may know your password, please change it.",
            password: "Change password",
            passwordText: "A new password ends what the old one opened, in every browser and app but this one.",
            phone: "Disconnect the phone", browser: "End the session", application: "Withdraw the permission",
            thisBrowser: "This is the browser in which you are reading."),
        told: Told(
            title: "Who was told something about you",
            lead: "Your apps and the applications that you use passed this on.",
            none: "Nobody was told anything about you.", claims: "Learnt", through: "Through", login: "By the login",
            nothing: "An identifier for you",
            empty: Cut(
                verb: "Empty this list", ends: "What stands here is forgotten and cannot be brought back.",
                stays: "Nobody loses access by it, and those who were told still know it."),
            emptied: "The list is empty.",
            used: Used(
                title: "Services that you used",
                lead: "Apps that look for services in your name find these first.",
                empty: Cut(
                    verb: "Forget these services",
                    ends: "Which services you used is forgotten and cannot be brought back.",
                    stays: "Nobody loses access by it. A service stands here again once you use it.")),
            claim: {
                switch $0 {
                case "email": "E-mail address"
                case "name": "Name"
                case "given_name": "Given name"
                case "family_name": "Family name"
                case "preferred_username": "Username"
                default: ClaimWords.text($0, .en)
                }
            },
            method: Told.method(
                both: "password and a second factor", factor: "phone or passkey", password: "password",
                neither: "wallet"))
    )
}
