extension QRCode {
    /// A whole SVG document for `<img>`: black on a white ground of its own, so that it is read on a dark page too.
    public var svg: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(side * Self.pixels)" height="\(side * Self.pixels)" \
        viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
        <path fill="#fff" d="M0 0h\(side)v\(side)h-\(side)z"/><path fill="#000" d="\(path)"/></svg>
        """
    }

    /// The dark modules, one unit each, as the path of an SVG.
    var path: String {
        (0..<side).flatMap { y in runs(in: y).map { "M\($0.lowerBound) \(y)h\($0.count)v1h-\($0.count)z" } }.joined()
    }

    /// A PNG of one bit a pixel, 5 pixels a module.
    public var png: [UInt8] {
        let pixels = side * Self.pixels
        let rows = (0..<side).map { y -> [UInt8] in
            var row = [UInt8](repeating: 0xFF, count: (pixels + 7) / 8)
            for x in runs(in: y).flatMap({ $0.lowerBound * Self.pixels..<$0.upperBound * Self.pixels }) {
                row[x / 8] &= ~(UInt8(0x80) >> UInt8(x % 8))
            }
            return row
        }
        return PlainPNG.encode(width: pixels, rows: rows.flatMap { [[UInt8]](repeating: $0, count: Self.pixels) })
    }

    /// Two rows of modules to a line, each line in black on white whatever the terminal's colours are, and reset behind
    /// it.
    public var terminal: String {
        stride(from: 0, to: side, by: 2).map { y -> String in
            let line = (0..<side).map { x -> String in
                switch (isDark(x, y), isDark(x, y + 1)) {
                case (false, false): " "
                case (true, false): "▀"
                case (false, true): "▄"
                case (true, true): "█"
                }
            }
            return "\u{1B}[38;5;16;48;5;231m\(line.joined())\u{1B}[0m\n"
        }.joined()
    }
}
