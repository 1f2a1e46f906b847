/// # Mail, floor 2
///
/// Owns how a message is written (MIME) and handed to a mail server (SMTP, by libcurl). Does not own what is said, to
/// whom, or when it is tried again (OAuth, IdentityProvider); keeps nothing.
///
/// | file | what |
/// |---|---|
/// | `MailAddress` | an address that can stand in an envelope and a header, and nothing else |
/// | `MailMessage` | a message with a text and an HTML part (RFC 5322, RFC 2045, RFC 2046) |
/// | `MailEncoding` | words of a header (RFC 2047), lines of a body (quoted-printable) |
/// | `SMTPServer` | one message to one server, within a time (RFC 5321, RFC 3207) |
///
/// 2026-11-26: libcurl speaks SMTP with TLS and the logins that servers ask for, is kept by Debian, and is linked as a
/// shared library: no package of ours does as much. It blocks, so it has threads of its own. 2026-11-26: addresses are
/// ASCII: few servers take others (RFC 6531), and a letter that looks like another is somebody else's address.
/// 2026-11-27: what is sent is written here and not by libcurl's `curl_mime`. That would do the smaller half: it
/// encodes bodies and draws boundaries, and takes the lines of the header as they are, so RFC 2047, folding and `Date`
/// would stay ours, and so would the refusal of line ends in names. It needs an easy handle, and gives out no text:
/// what a letter says could be seen by a mail server alone, and the tests of hostile names, which read it, would all
/// need one. Here it is two files over a value, with one shape (`multipart/alternative` of two texts in UTF-8, nothing
/// attached); whoever wants attachments thinks again.
