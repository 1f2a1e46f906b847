import Base

/// From a universal link that a browser opened to the custom-scheme link that opens the app; for `/tiqrenroll/` and
/// `/tiqrauth/`.
///
/// Nothing is read or used up. Links are made only for what is of this server, so that the pages lend their name to
/// nobody else's (design/backoffice.md).
public enum TiqrLanding {
    /// `nil` unless `metadata` is below `base` (a service's base URL) and has nothing in it that a URL may not have.
    public static func enrollment(query: [String: String], base: WebAddress, scheme: String) -> String? {
        guard let metadata = query["metadata"], let address = WebAddress(metadata), address.origin == base.origin,
            base.path.isEmpty || address.path == base.path || address.path.hasPrefix(base.path + "/"),
            metadata.utf8.allSatisfy(isURLByte), !metadata.contains("#")
        else { return nil }
        return TiqrLink.enrollment(metadata: metadata, scheme: scheme)
    }

    /// `nil` unless all of `i`, `s`, `q` and `v=2` are there in the forms that we give them, `u` too when it is there,
    /// and `isOwn` holds for the identifier.
    public static func authentication(query: [String: String], scheme: String, isOwn: (String) -> Bool) -> String? {
        guard let identifier = query["i"], isHost(identifier), isOwn(identifier), query["v"] == TiqrLink.version,
            let session = query["s"], isHexadecimal(session, 16...128), let challenge = query["q"],
            isHexadecimal(challenge, 8...64)
        else { return nil }
        let identity = query["u"]
        guard identity.map(isIdentity) ?? true else { return nil }
        return TiqrLink.authentication(
            identifier: identifier, session: session, challenge: challenge, serviceProvider: nil, identity: identity,
            returnURL: nil, scheme: scheme
        )
    }

    /// A lower-case name without port (protocols/tiqr.md, 1.5).
    static func isHost(_ text: String) -> Bool {
        text.utf8.count <= 253
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                let hyphen = UInt8(ascii: "-")
                return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                    && label.allSatisfy { byte in
                        byte == hyphen || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    }
            }
    }

    private static func isIdentity(_ text: String) -> Bool {
        text.utf8.count <= 128 && text.wholeMatch(of: #/[A-Za-z0-9._~\-]+/#) != nil
    }

    private static func isHexadecimal(_ text: String, _ length: ClosedRange<Int>) -> Bool {
        length.contains(text.utf8.count) && Hexadecimal.nibbles(text.utf8) != nil
    }

    private static func isURLByte(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
    }
}
