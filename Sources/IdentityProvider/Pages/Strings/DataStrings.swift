import Pages

/// What the pages say that show people what is held on them, and that delete their account.
struct DataStrings: Sendable {
    let title: String
    let exportTitle: String, exportText: String, left: String, read: String, download: String
    let exportedAt: String, fields: String, nothing: String
    let more: @Sendable (Int) -> String
    let deleteTitle: String, deleteText: String, deleteEnds: String, deleteStays: String, deleteForGood: String
    let exportFirst: String, deleteSubmit: String
    /// Takes the host of this server.
    let operatorDeletes: @Sendable (String) -> String
    let deleted: String, deletedText: String, noneTold: String
    let told: @Sendable (Int) -> String, removed: @Sendable (Int) -> String
    /// Headings, by the members of the export.
    let parts: [String: String]
}

extension Language {
    private static let dataTranslations = SharedStrings<DataStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var data: SharedStrings<DataStrings> { Self.dataTranslations[self] }
}
