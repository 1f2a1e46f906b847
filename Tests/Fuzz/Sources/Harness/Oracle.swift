import Foundation

/// What must hold of every input. A sentence that does not hold ends the process, which keeps the input as a crash.
public func require(_ holds: Bool, _ sentence: @autoclosure () -> String) {
    if !holds { violated(sentence()) }
}

public func violated(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data("ORACLE: \(sentence)\n".utf8))
    abort()
}

/// `body` must not throw.
public func certain<Value>(_ sentence: String, _ body: () throws -> Value) -> Value {
    do { return try body() } catch { violated("\(sentence): \(error)") }
}

/// Swift takes é and e with an accent for equal; on the wire they are two.
public func isSpelledAlike(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
