/// # pando, floor 11
///
/// Owns the commands of the binary: how they are spelled, what they print, when they leave with which status. Does not
/// own any rule of the federation: a command calls the flow that the server would call. The server itself is built by
/// `Server`.
///
/// | folder | what |
/// |---|---|
/// | `Pando` | the root command |
/// | `Commands` | `serve`, `migrate`, `dev`, `config show`, `config check` |
/// | `Admin` | `pando admin …`: design/cli.md; the commands of products come with the list of the server |
/// | `Check` | `pando check-service`, `pando admin services check`, and what the latter makes and ends: design/cli.md |
/// | `Demo` | `pando demo`: the app that walks the whole path, and the services, phones and wallets of `pando demo tiqr`, `operations` and `liquid` |
