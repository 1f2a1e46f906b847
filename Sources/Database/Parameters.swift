/// The values of a statement as libpq takes them. Valid within `withParameters` only.
struct Parameters {
    let count: Int32
    let values: [UnsafePointer<CChar>?]
    let lengths: [Int32]
    let formats: [Int32]
}

extension Statement {
    /// Lays all values out in one buffer, so that one pointer has to be kept alive.
    func withParameters<Result>(_ body: (Parameters) -> Result) -> Result {
        // A trailing byte, so that even an empty last value has an address: a null pointer would be NULL.
        let buffer = values.compactMap(\.self).joined() + [0]
        return buffer.withUnsafeBytes { bytes in
            var offset = 0
            let pointers = values.map { value -> UnsafePointer<CChar>? in
                guard let value, let start = bytes.baseAddress else { return nil }
                defer { offset += value.count }
                return (start + offset).assumingMemoryBound(to: CChar.self)
            }
            let lengths = values.map { Int32(clamping: $0?.count ?? 0) }
            return body(
                Parameters(
                    count: Int32(values.count), values: pointers, lengths: lengths, formats: values.map { _ in 1 }))
        }
    }
}
