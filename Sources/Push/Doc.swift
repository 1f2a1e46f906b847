/// # Push, floor 4
///
/// Owns how a notification is handed to the services that reach phones: Apple's, Google's and Huawei's, each with the
/// credentials of the app that is pushed to. Does not own what is said, to whom, when it is tried again, or where
/// credentials stand (Tiqr, Operations); keeps nothing but bearer tokens.
///
/// | file | what |
/// |---|---|
/// | `APNsSender` | Apple Push Notification service over HTTP, with token authentication |
/// | `FCMSender` `FCMAccount` | Firebase Cloud Messaging, HTTP v1; the service account that it takes |
/// | `HMSSender` | Huawei Push Kit, `messages:send`, with a token for client credentials |
/// | `AuthorizedPost` | a post with a bearer token, which is made anew when it is no longer taken |
/// | `PushHTTP` `PushResult` `PushMetrics` | HTTP as a closure; what came of a push; how often, for `/metrics` |
///
/// Wire facts: protocols/tiqr.md 1.12 (APNs and FCM), protocols/operations.md 1.5 (HMS).
///
/// 2026-11-27: tiqr and operations push by the same senders, so they stand below both. What the services answer goes to
/// logs by status and code alone: neither an address nor a token of anybody. 2026-11-27: an address is forgotten for an
/// answer that is about nothing but the address: `DeviceTokenNotForTopic`, or 404 of a project, is what an operator
/// mistyped, and is told to them.
