/// # Viewer, floor 7
///
/// Owns the attributes viewer: what the federation tells a service about a person. The smallest real service; how one
/// is added: docs/add-a-service.md. `ViewerRoutes` is its endpoint and its scope, `HostedViewer` gives it to the
/// server.
