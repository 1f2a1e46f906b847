import CQREncode

/// A QR code (ISO/IEC 18004) of a short text, drawn three ways. Error correction level L and a quiet zone of 4 modules
/// (design/backoffice.md, Pictures): a screen is not soiled, and fewer modules are larger ones.
public struct QRCode: Sendable {
    public enum Refusal: Error, Sendable, Equatable {
        /// Nothing to show, or a NUL, at which the C library would stop.
        case notText
        /// More than 2,953 bytes, which is what version 40 holds at level L.
        case tooLong
        /// libqrencode had no memory.
        case failed
    }

    static let quietZone = 4
    /// Side of a module in the pictures.
    static let pixels = 5

    /// Modules of a side without quiet zone: 21 for version 1, four more for each further one.
    let width: Int
    /// Row by row, `true` for dark.
    private let modules: [Bool]

    public init(_ text: String) throws(Refusal) {
        guard !text.isEmpty, !text.utf8.contains(0) else { throw .notText }
        guard text.utf8.count <= 2_953 else { throw .tooLong }
        // Version 0 is the smallest that is large enough; bytes are case-sensitive.
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1) else { throw .failed }
        defer { QRcode_free(code) }
        guard let data = code.pointee.data else { throw .failed }
        let side = Int(code.pointee.width)
        // The lowest bit is the colour, the others say what a module is for.
        modules = (0..<side * side).map { data[$0] & 1 == 1 }
        width = side
    }

    /// With the quiet zone.
    var side: Int { width + 2 * Self.quietZone }

    /// By place in the picture, quiet zone included; outside all is light.
    func isDark(_ x: Int, _ y: Int) -> Bool {
        let (column, row) = (x - Self.quietZone, y - Self.quietZone)
        return (0..<width).contains(column) && (0..<width).contains(row) && modules[row * width + column]
    }

    /// Runs of dark modules in a row of the picture.
    func runs(in y: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = [], start: Int?
        for x in 0..<side {
            switch (isDark(x, y), start) {
            case (true, nil): start = x
            case (false, let begin?):
                runs.append(begin..<x)
                start = nil
            default: break
            }
        }
        return runs
    }
}
