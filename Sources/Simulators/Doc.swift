/// # Simulators, floor 10
///
/// Owns the other side of every wire as the demo and the benches need it, beyond `PandoClient`: phones of tiqr and
/// PowerAuth, a wallet, a relying service, and the demo federation that they live in. Speaks real HTTP. Does not own
/// the steps of the demo (pando) or what is measured (pando-bench).
///
/// | file | what |
/// |---|---|
/// | `DemoWire` `DemoRequest` | HTTP, and each exchange as curl would send it |
/// | `DemoFederation` `DemoCredentials` `DemoFailure` | the seed, what it left in `demo.json`, and why a demo cannot go on |
/// | `DemoRecorder` `DemoToken` | what `PandoClient`, the app on the phone, exchanges; a token as its holder reads it |
/// | `DemoRelyingService` | the service on whose behalf phones are asked |
/// | `DemoTiqrPhone` `ScannedChallenge` | a phone with the tiqr app, and the QR code that it reads |
/// | `DemoPowerAuthApp` `DemoActivation` `ScannedOperation` `DemoPIN` | a phone with a PowerAuth SDK, registered, and what it scans |
/// | `DemoWallet` | an Algorand wallet with a passkey |
