import Pages

/// What the page says on which a person goes on without the second factor that an application wishes for.
struct WithoutLevelStrings: Sendable {
    let title: String, text: String, submit: String, back: String

    static let english = WithoutLevelStrings(
        title: "Go on without a second factor?",
        text: """
            This application wishes for a second factor and does not insist on it. It is told that you have shown \
            none, and may let you do less.
            """,
        submit: "Go on without", back: "Show it")

    static let german = WithoutLevelStrings(
        title: "Ohne zweiten Faktor fortfahren?",
        text: """
            Diese Anwendung wünscht einen zweiten Faktor, besteht aber nicht darauf. Sie erfährt, dass Sie keinen \
            gezeigt haben, und lässt Sie vielleicht weniger tun.
            """,
        submit: "Ohne fortfahren", back: "Zeigen")

    static let french = WithoutLevelStrings(
        title: "Continuer sans second facteur\u{A0}?",
        text: """
            Cette application souhaite un second facteur, sans l’exiger. Elle saura que vous n’en avez pas présenté, \
            et vous permettra peut-être moins de choses.
            """,
        submit: "Continuer sans", back: "Le présenter")

    static let italian = WithoutLevelStrings(
        title: "Continuare senza secondo fattore?",
        text: """
            Questa applicazione desidera un secondo fattore, ma non lo esige. Saprà che non ne ha mostrato alcuno, e \
            forse Le permetterà di fare meno.
            """,
        submit: "Continuare senza", back: "Mostrarlo")
}

extension Language {
    var withoutLevel: WithoutLevelStrings {
        switch self {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }
}
