/// One fuzz target: what is done with an input, and how inputs are changed where flipping bytes would only break a
/// signature or an encoding.
public struct Target: Sendable {
    public typealias Mutator = @Sendable (_ input: [UInt8], _ limit: Int, _ seed: UInt32) -> [UInt8]?

    let name: String
    let mutate: Mutator?
    let run: @Sendable ([UInt8]) -> Void

    /// `mutate` returns `nil` to leave the input to libFuzzer.
    public init(_ name: String, mutate: Mutator? = nil, run: @escaping @Sendable ([UInt8]) -> Void) {
        (self.name, self.mutate, self.run) = (name, mutate, run)
    }
}
