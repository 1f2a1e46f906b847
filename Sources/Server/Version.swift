import CBuild

/// Of this build; released as CHANGELOG.md says.
public enum Version {
    public static let text = "0.1.0"

    /// Of which it was built, shortened, with `-dirty` where files had been changed; `nil` where that was not told
    /// (deploy/build.sh).
    public static let commit: String? = {
        let commit = String(cString: pando_commit())
        return commit.isEmpty ? nil : commit
    }()

    /// `0.1.0 (1a2b3c4d5e6f)`.
    public static let full = commit.map { "\(text) (\($0))" } ?? text
}
