import CFuzzer
import Foundation
import Synchronization

/// Starts libFuzzer with the target by whose name the program was called: the targets are links to one program, which
/// by any other name lists them.
public enum Driver {
    private static let chosen = Mutex<Target?>(nil)

    public static func run(_ targets: [Target]) -> Never {
        let name = CommandLine.arguments.first.flatMap { $0.split(separator: "/").last.map(String.init) } ?? ""
        guard let target = targets.first(where: { $0.name == name }) else {
            for target in targets { print(target.name) }
            exit(2)
        }
        chosen.withLock { $0 = target }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        let status = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
            Driver.chosen.withLock(\.self)?.run(Array(UnsafeBufferPointer(start: data, count: size)))
            return 0
        }
        exit(status)
    }

    /// A change by libFuzzer's own means, of a part of an input.
    public static func mutated(_ bytes: [UInt8], limit: Int) -> [UInt8] {
        let room = max(limit, bytes.count, 1)
        return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            _ = buffer.initialize(from: bytes + [UInt8](repeating: 0, count: room - bytes.count))
            count = LLVMFuzzerMutate(buffer.baseAddress, bytes.count, room)
        }
    }

    fileprivate static func mutate(
        _ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int, _ seed: UInt32
    ) -> Int {
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        guard let mutate = chosen.withLock(\.self)?.mutate, let output = mutate(input, limit, seed), !output.isEmpty,
            output.count <= limit
        else {
            return LLVMFuzzerMutate(data, size, limit)
        }
        data.update(from: output, count: output.count)
        return output.count
    }
}

/// Found by libFuzzer under this name.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int, _ seed: UInt32) -> Int {
    Driver.mutate(data, size, limit, seed)
}
