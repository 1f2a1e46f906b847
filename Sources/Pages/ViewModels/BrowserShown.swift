/// A browser in words, from what it says of itself: "Firefox on Linux". Good for recognising one's own, for nothing
/// else: the header is anyone's to write.
struct BrowserShown {
    let name: String?, system: String?

    /// In this order, because most browsers also claim to be others.
    private static let names = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Vivaldi/", "Vivaldi"),
        ("FxiOS/", "Firefox"), ("Firefox/", "Firefox"),
        ("CriOS/", "Chrome"), ("Chromium/", "Chromium"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
        ("Macintosh", "macOS"), ("Linux", "Linux"),
    ]

    init(userAgent: String) {
        let said = String(decoding: userAgent.utf8.prefix(512), as: UTF8.self)
        name = Self.names.first { said.contains($0.0) }?.1
        system = Self.systems.first { said.contains($0.0) }?.1
    }

    /// `nil` when it says nothing that is known here.
    func text(_ strings: Strings.Account) -> String? {
        switch (name, system) {
        case (let name?, let system?): strings.browserOn(name, system)
        case (let name?, nil): name
        case (nil, let system?): strings.browserOn(strings.unknownBrowser, system)
        case (nil, nil): nil
        }
    }
}

extension Language {
    /// A browser in this language, for whoever is told of it elsewhere than on a page.
    public func browser(_ userAgent: String?) -> String? {
        userAgent.flatMap { BrowserShown(userAgent: $0).text(strings.account) }
    }
}
