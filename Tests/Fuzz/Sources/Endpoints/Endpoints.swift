import Harness

@main
enum Endpoints {
    static func main() {
        Driver.run([
            ProofTarget.target, RequestTarget.target, HeaderTarget.target, CertificateTarget.target, OCRATarget.target,
            TiqrTarget.target, ImportTarget.target,
        ])
    }
}
