import Harness

@main
enum Passkeys {
    static func main() {
        Driver.run([
            CBORTarget.target, AuthenticatorTarget.target, AttestationTarget.target, EngineTarget.target,
            SocketTarget.target, AccountTarget.target, ShownTarget.target,
        ])
    }
}
