/// # LDAP, floor 2
///
/// Owns asking an LDAP directory whether a password is somebody's (RFC 4513, 5.1.3), and what it says of them, by
/// libldap. Does not own who that is here, or what is done where the directory is away (Upstream, Accounts); keeps
/// nothing.
///
/// | file | what |
/// |---|---|
/// | `LDAPDirectory` | one login at one directory, within a time, on threads of its own |
/// | `LDAPName` | what somebody typed, in a filter (RFC 4515, 3) and in a name (RFC 4514, 2.4): nothing of it is syntax |
///
/// 2026-11-27: libldap is what Debian keeps, with TLS by GnuTLS. It blocks, so it has threads of its own, four of them;
/// a queue of 64 is full and says so. 2026-11-27: an empty password is never sent: a directory takes it for an
/// anonymous login, and says yes (RFC 4513, 5.1.2).
