import Foundation

/// What the program reads at run time, where the tests were built.
public enum Checkout {
    /// The test may be built through a symbolic link.
    public static func folder(_ name: String) -> URL {
        URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "../../\(name)")
            .standardizedFileURL
    }
}
