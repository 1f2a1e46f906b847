import CLibLDAP
import Dispatch
import Foundation

/// An LDAP directory that knows people's passwords. Each login has a connection of its own, bounded in time.
public actor LDAPDirectory {
    /// How a name becomes an entry. `{username}` stands for what was typed before an `@`, `{login}` for all of it.
    public enum Lookup: Sendable, Equatable {
        /// The entry has this name.
        case pattern(String)
        /// It is the one entry below `base` that `filter` finds; asked by `user`, or by nobody.
        case search(base: String, filter: String, user: String?, password: String?)
    }

    public struct Settings: Sendable, Equatable {
        let url: String
        let startsTLS: Bool
        let authorities: String?
        let lookup: Lookup
        let attributes: [String]
        let seconds: Int

        /// - Parameters:
        ///   - url: `ldap://HOST[:PORT]` or `ldaps://HOST[:PORT]`.
        ///   - startsTLS: `ldap://` is encrypted before anything is said (RFC 4513, 3).
        ///   - authorities: a PEM file with whose certificates are believed; `nil`: the system's.
        ///   - attributes: what is read of the entry.
        ///   - seconds: for each step.
        public init(
            url: String, startsTLS: Bool, authorities: String?, lookup: Lookup, attributes: [String], seconds: Int = 5
        ) {
            (self.url, self.startsTLS, self.authorities) = (url, startsTLS, authorities)
            (self.lookup, self.attributes, self.seconds) = (lookup, attributes, seconds)
        }
    }

    public enum Outcome: Sendable, Equatable {
        /// It is their password, and this is what the directory says of them: values by attribute.
        case right([String: [String]])
        /// Nobody has that name, or not that password.
        case wrong
        /// The directory does not answer, or does not let us ask; a reason without names for the log.
        case away(String)
    }

    /// More logins wait than can be served soon.
    public struct Busy: Error {}

    private static let threads = 4, longestQueue = 64
    private static let isReady: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return true
    }()

    private let settings: Settings
    private var running = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    public init(_ settings: Settings) { self.settings = settings }

    /// `username` and `login` are what was typed; see `Lookup`.
    public func logIn(username: String, login: String, password: String) async throws -> Outcome {
        guard !password.isEmpty, ![username, login, password].contains(where: { $0.utf8.contains(0) }),
            !username.isEmpty
        else { return .wrong }
        if running >= Self.threads {
            guard waiting.count < Self.longestQueue else { throw Busy() }
            await withCheckedContinuation { waiting.append($0) }
        } else {
            running += 1
        }
        defer {
            if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
        }
        let settings = settings
        return await withCheckedContinuation { continuation in
            // A serial queue has a thread of its own while it waits, as for mail: those of all tasks are few.
            DispatchQueue(label: "pando.ldap").async {
                let question = Question(settings: settings, username: username, login: login)
                continuation.resume(returning: question.ask(password))
            }
        }
    }

    /// One login, on a thread that may wait.
    private struct Question {
        let settings: Settings
        let username: String
        let login: String

        func ask(_ password: String) -> Outcome {
            guard LDAPDirectory.isReady else { return .away("signals") }
            switch settings.lookup {
            case .pattern(let pattern):
                let name = filled(pattern, LDAPName.inDN)
                return connected { handle in
                    let code = pando_ldap_bind(handle, name, password)
                    guard code == 0 else { return refused(code, "bind") }
                    var problem: Outcome?
                    let found = entry(handle, base: name, isWhole: false, filter: "(objectClass=*)", &problem)
                    // What could not be read says nothing of them, not that they have nothing any more.
                    return found.map { .right($0.values) } ?? problem ?? .right([:])
                }
            case .search(let base, let filter, let user, let secret):
                var found: Entry?
                let looked = connected { handle in
                    if let user {
                        let code = pando_ldap_bind(handle, user, secret ?? "")
                        guard code == 0 else { return .away("bind of our own: \(code)") }
                    }
                    var problem: Outcome?
                    found = entry(
                        handle, base: base, isWhole: true, filter: filled(filter, LDAPName.inFilter), &problem)
                    return problem ?? .wrong
                }
                guard let found else { return looked }
                // On a connection of its own: what was asked by our own name is never answered by somebody else's.
                return connected { handle in
                    let code = pando_ldap_bind(handle, found.name, password)
                    return code == 0 ? .right(found.values) : refused(code, "bind")
                }
            }
        }

        private func filled(_ text: String, _ escape: (String) -> String) -> String {
            text.replacing("{username}", with: escape(username)).replacing("{login}", with: escape(login))
        }

        private func refused(_ code: Int32, _ what: String) -> Outcome {
            let wrong = [
                pando_ldap_wrong, pando_ldap_no_object, pando_ldap_bad_dn, pando_ldap_inappropriate,
                pando_ldap_unwilling,
            ].map { Int32($0) }
            return wrong.contains(code) ? .wrong : .away("\(what): \(code)")
        }

        private func connected(_ body: (OpaquePointer) -> Outcome) -> Outcome {
            var handle: OpaquePointer?
            let code = pando_ldap_open(&handle, settings.url, settings.authorities, Int32(settings.seconds))
            guard let handle else { return .away("open: \(code)") }
            defer { pando_ldap_close(handle) }
            guard code == 0 else { return .away("open: \(code)") }
            if settings.startsTLS {
                let code = pando_ldap_start_tls(handle)
                guard code == 0 else { return .away("StartTLS: \(code)") }
            }
            return body(handle)
        }

        private struct Entry {
            let name: String
            let values: [String: [String]]
        }

        /// The one entry that is found; `problem` where the directory could not say.
        private func entry(
            _ handle: OpaquePointer, base: String, isWhole: Bool, filter: String, _ problem: inout Outcome?
        ) -> Entry? {
            var wanted: [UnsafeMutablePointer<CChar>?] = settings.attributes.map { strdup($0) } + [nil]
            defer { for pointer in wanted { free(pointer) } }
            var found: OpaquePointer?
            let code = pando_ldap_search(
                handle, base, isWhole ? 1 : 0, filter, &wanted, Int32(settings.seconds), &found)
            defer { if let found { _ = ldap_msgfree(found) } }
            guard code == 0 else {
                // More than one is nobody; and many directories let nobody read their own entry.
                let isHidden = code == Int32(pando_ldap_no_access) && !isWhole
                if code != Int32(pando_ldap_size_limit), code != Int32(pando_ldap_no_object), !isHidden {
                    problem = .away("search: \(code)")
                }
                return nil
            }
            guard let found, pando_ldap_count(handle, found) == 1, let first = pando_ldap_first(handle, found),
                let name = ldap_get_dn(handle, first)
            else { return nil }
            defer { ldap_memfree(name) }
            var values: [String: [String]] = [:]
            for attribute in settings.attributes { values[attribute] = texts(handle, first, attribute) }
            return Entry(name: String(cString: name), values: values)
        }

        private func texts(_ handle: OpaquePointer, _ entry: OpaquePointer, _ attribute: String) -> [String]? {
            guard let list = pando_ldap_values(handle, entry, attribute) else { return nil }
            defer { ldap_value_free_len(list) }
            var texts: [String] = []
            var place = 0
            while place < 200, let value = list[place] {
                let count = Int(value.pointee.bv_len)
                if let start = value.pointee.bv_val, count <= 4_096 {
                    let bytes = UnsafeRawBufferPointer(start: start, count: count)
                    if let text = String(validating: bytes, as: UTF8.self) { texts.append(text) }
                }
                place += 1
            }
            return texts
        }
    }
}
