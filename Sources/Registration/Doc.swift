/// # Registration, floor 4
///
/// Owns who may speak: apps and their versions, app instances, web and service clients, how each authenticates, and how
/// one shows that one holds a key. Does not own grants, people's passwords or services.
///
/// | folder | what |
/// |---|---|
/// | `Apps` | apps, version keys, refusing and allowing a version |
/// | `Instances` | registration and upgrade of an instance, device information, blocks |
/// | `RFC7523` | client assertions: of an instance by its version key, of a web client by its own |
/// | `RFC7591` | web clients and their secrets |
/// | `RFC9449` | DPoP proofs, and eduID's JWT made for one request |
///
/// 2026-11-21: whether an instance lives is read from its lineage, never written at it, so that cutting a version stays one row.
/// 2026-11-21: the order inside a registration is: open generations, then read the version's status and the blocks, then issue. Refusing
/// writes the status and then cuts, so one of the two always sees the other.
