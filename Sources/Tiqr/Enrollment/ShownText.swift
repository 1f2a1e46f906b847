/// Text that people read on a phone or page.
enum ShownText {
    /// 1…`limit` characters without control characters.
    static func check(_ text: String, _ name: String, limit: Int = 100) throws(TiqrRefusal) {
        guard (1...limit).contains(text.count), text.utf8.count <= limit * 8,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw .invalidRequest("\(name) is 1 to \(limit) characters without control characters")
        }
    }
}
