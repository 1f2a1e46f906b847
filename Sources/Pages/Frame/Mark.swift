/// The mark: an aspen leaf, whose veins are trunks of one root.
enum Mark {
    private static let leaf = "M16 2C19 6 29 8.5 29 17.5C29 24 23.5 28 16 28C8.5 28 3 24 3 17.5C3 8.5 13 6 16 2Z"
    private static let veins = "M16 31V11M16 24L9.5 17.5M16 24L22.5 17.5M16 18.5L12 14.5M16 18.5L20 14.5"

    static let template = """
        <svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><path class="blade" d="\(leaf)"/><path \
        class="veins" d="\(veins)"/></svg>
        """

    /// For the browser's tab; no request is made for it.
    static let icon =
        "data:image/svg+xml,"
        + percentEncoded(
            """
            <svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><path fill='#1b6b43' d='\(leaf)'/>\
            <path fill='none' stroke='#fff' stroke-width='2' stroke-linecap='round' d='\(veins)'/></svg>
            """)

    /// Of an SVG in single quotes, what may not stand in a URL in double quotes.
    static func percentEncoded(_ svg: String) -> String {
        svg.reduce(into: "") { url, character in
            switch character {
            case "#": url += "%23"
            case "<": url += "%3C"
            case ">": url += "%3E"
            case "%": url += "%25"
            case " ": url += "%20"
            case "\n": break
            default: url.append(character)
            }
        }
    }
}
