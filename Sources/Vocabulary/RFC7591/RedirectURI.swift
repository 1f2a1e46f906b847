/// A redirect URI that may be registered, and how one that is presented is held against it (RFC 6749, 3.1.2; RFC 9700,
/// 2.1; RFC 8252, 7 and 8).
///
/// A web client's is https, or http on loopback for development. A native client's may also be of a private-use scheme
/// that is a domain name backwards. Presented, it must be the same byte for byte; only the port of a native client's
/// loopback address is free.
public struct RedirectURI: Sendable, Equatable, CustomStringConvertible {
    /// In words for whoever registers, to stand behind the URI's name.
    public struct Unacceptable: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String
    }

    public static let longest = 2_000

    private let uri: StrictURI
    private let isPortFree: Bool

    public var description: String { uri.description }

    public init(registering text: String, applicationType: ClientMetadata.ApplicationType) throws(Unacceptable) {
        do {
            uri = try StrictURI(text, longest: RedirectURI.longest)
        } catch {
            throw Unacceptable(description: error.description)
        }
        // An empty one is a fragment, too.
        guard uri.fragment == nil else { throw Unacceptable(description: "has a fragment") }
        guard !text.utf8.contains(UInt8(ascii: "*")) else {
            throw Unacceptable(description: "has a wildcard: register each URI")
        }
        guard RedirectURI.isPlain(uri.path) else {
            throw Unacceptable(description: "has a dot segment, or an encoded dot or slash, in its path")
        }
        let isNative = applicationType == .native
        switch uri.scheme {
        case "https":
            guard uri.host != nil else { throw Unacceptable(description: "has no host") }
        case "http":
            guard uri.isLoopback else {
                throw Unacceptable(description: "must be https, or http on 127.0.0.1, [::1] or localhost")
            }
        default:
            guard isNative, uri.scheme.wholeMatch(of: #/[a-z][a-z0-9\-]*(?:\.[a-z0-9\-]+)+/#) != nil else {
                throw Unacceptable(
                    description:
                        """
                        must be https, or for application_type native of a scheme that is your domain name \
                        backwards, such as com.example.app
                        """
                )
            }
            guard uri.host != nil || uri.path.hasPrefix("/") else {
                throw Unacceptable(description: "must have a path behind its scheme, such as com.example.app:/callback")
            }
        }
        isPortFree = isNative && uri.scheme == "http" && uri.isLoopbackAddress
    }

    /// Bytes, not characters: Swift holds canonically equivalent strings for equal.
    public func matches(_ presented: String) -> Bool {
        if presented.utf8.elementsEqual(uri.description.utf8) { return true }
        guard isPortFree, let other = try? RedirectURI(registering: presented, applicationType: .native) else {
            return false
        }
        return other.isPortFree && (other.uri.host, other.uri.path, other.uri.query) == (uri.host, uri.path, uri.query)
    }

    /// The host that vouches for it (OpenID Connect Core, 8.1); `nil` on loopback and for private-use schemes, which
    /// are anybody's.
    public var sector: String? { uri.scheme == "https" && !uri.isLoopback ? uri.host : nil }

    /// Whether any program on the machine could be what stands behind a redirect URI: it is of a private-use scheme or
    /// on loopback (RFC 8252, 8.6).
    public static func isAnybodys(_ text: String) -> Bool {
        (try? RedirectURI(registering: text, applicationType: .native))?.sector == nil
    }

    private static func isPlain(_ path: String) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.allSatisfy({ $0 != "." && $0 != ".." }) else { return false }
        return !path.utf8.contains(UInt8(ascii: "%")) || path.firstMatch(of: #/%(?:2[eE]|2[fF]|5[cC])/#) == nil
    }
}
