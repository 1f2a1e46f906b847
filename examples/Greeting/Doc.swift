/// # Greeting
///
/// Owns a service that greets a person by the name that the federation releases. The example of docs/add-a-service.md.
