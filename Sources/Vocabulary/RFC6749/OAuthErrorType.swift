import Traces

extension OAuthError: TypedError {
    public var errorType: String { code.rawValue }
}
