/// Bytes that must not be printed, encoded or compared in variable time.
public struct SecretBytes: Sendable, Equatable {
    private let storage: [UInt8]

    public init(_ bytes: some Sequence<UInt8>) { storage = Array(bytes) }

    public var count: Int { storage.count }

    /// The only way in: the closure sees the bytes, nothing else does.
    public func expose<Result>(_ body: ([UInt8]) throws -> Result) rethrows -> Result { try body(storage) }

    public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        ConstantTime.equal(left.storage, right.storage)
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
