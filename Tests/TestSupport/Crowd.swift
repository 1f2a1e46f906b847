/// Many at once, each with its number; what each came to, in the order of numbers.
public func crowd<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: (Int, Value).self) { group in
        for number in 0..<count { group.addTask { (number, try await body(number)) } }
        var values: [Int: Value] = [:]
        for try await (number, value) in group { values[number] = value }
        return (0..<count).compactMap { values[$0] }
    }
}
