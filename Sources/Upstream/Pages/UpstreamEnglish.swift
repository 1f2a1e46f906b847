import Pages

extension UpstreamStrings {
    static let english = UpstreamStrings(
        button: "Log in with your institution",
        find: .init(
            title: "Find your institution",
            lead:
                """
                You log in there, with what you always log in with there. Your password is not told to us.
                """,
            submit: "Search"
        ),
        label: "Name or domain of your institution",
        hint: "For example “University of Example” or “example.org”",
        choices: "Institutions",
        none: "No institution was found. Please try another name, or log in another way.",
        more: "There are more. Please type more of the name.",
        other: "or another institution",
        back: "Log in another way", again: "Try again",
        problems: .init(
            title: "You are not logged in",
            declined: "Your institution did not log you in, or you cancelled it there.",
            invalid:
                """
                What your institution answered could not be checked, so you were not logged in. Please try \
                again. Should it go on, tell the support of your institution.
                """,
            unreachable:
                """
                The login of your institution does not answer at the moment. Please try again in a minute, or \
                log in another way.
                """,
            stale:
                """
                Your institution did not ask you to log in again, as is needed here. Please log out there, and \
                try again.
                """,
            taken: "Who you are at this institution is linked to another account already.",
            foreign: "Your account belongs to another institution and cannot be linked to this one.",
            suspended:
                """
                This account may not log in. If you think that it should, please ask the support of your \
                institution.
                """
        ),
        unknown: .init(
            title: "You are new here",
            lead:
                """
                Your institution has said who you are, and no account here is linked to that yet. If you have \
                one, log in to it once. From then on your institution is enough.
                """,
            submit: "Log in to my account"
        ),
        link: .init(
            title: "Link your institution",
            lead: "Is this you? From then on you log in with your institution.",
            submit: "Yes, link them"
        ),
        there: "At your institution:", here: "Your account here:", without: "Go on without",
        section: .init(
            title: "Institutions",
            lead: "With these institutions you log in without a password of this server.",
            effect:
                """
                Who is logged in through an institution that you unlink is logged out in other browsers.
                """,
            none: "No institution is linked.",
            button: "Unlink"
        ),
        add: "Link an institution",
        linked: "Your institution is linked. From now on you can log in with it.",
        unlinked: "The institution is unlinked.",
        kept:
            """
            This is the only way in which you can log in. Please set a password first (“Forgotten your \
            password?” on the login page).
            """,
        farewell: "Log out at \(.name) too"
    )
}
