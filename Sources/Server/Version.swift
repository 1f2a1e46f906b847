/// Of this build; released as CHANGELOG.md says.
public enum Version {
    public static let text = "0.1.0"
}
