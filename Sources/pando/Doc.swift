/// # pando, floor 12
///
/// Owns the commands of the binary: how they are spelled, what they print, when they leave with which status. Does not
/// own any rule of the federation: a command calls the flow that the server would call. The server itself is built by
/// `Server`.
///
/// | folder | what |
/// |---|---|
/// | `Pando` | the root command |
/// | `Commands` | `serve`, `migrate`, `migrate status`, `dev`, `config show`, `config check`, `status`, `doctor`, `completion`, `man` |
/// | `Demo` | `pando demo`: the app that walks the whole path, and the services, phones and wallets of `pando demo tiqr`, `operations` and `liquid` |
