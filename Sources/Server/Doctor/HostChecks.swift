import Accounts
import Foundation

/// What a server needs of the machine that it runs on.
enum HostChecks {
    static func masterKey(file: String, read: () throws -> Void) -> Finding {
        do { try read() } catch {
            return .error("master-key", "\(error)", do: "put the key there, or see docs/operate.md for a new one")
        }
        let mode = (try? FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int) ?? 0
        let told = "\(file) has mode \(String(mode, radix: 8))"
        if mode & 0o007 != 0 {
            return .error("master-key", told + ": everybody here can read it", do: "chmod 600 \(file)")
        }
        if mode & 0o070 != 0 {
            return .warning("master-key", told + ": its group can read it", do: "chmod 600 \(file), where it can be")
        }
        return .ok("master-key", "\(file) can be read by its owner alone")
    }

    static func commonPasswords(_ file: URL) -> Finding {
        do {
            return .ok("common-passwords", "\(try CommonPasswords(file: file).count) passwords that nobody may choose")
        } catch {
            return .error(
                "common-passwords", error.description, do: "set common-passwords to the file that comes with Pando")
        }
    }

    static let scarce = 1 << 30, full = 100 << 20

    /// Of the folder where the master key is: that is where a server's state is kept.
    static func disk(of file: String) -> Finding {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue else {
            return .warning("disk", "the space at \(folder) is not known", do: "look at it with df")
        }
        return disk(free: free, folder)
    }

    static func disk(free: Int, _ folder: String) -> Finding {
        let text = "\(free >> 20) MB are free at \(folder)"
        if free < full { return .error("disk", text, do: "make room: a database that cannot write stops the server") }
        if free < scarce { return .warning("disk", text, do: "make room, or move the state to a larger disk") }
        return .ok("disk", text)
    }
}
