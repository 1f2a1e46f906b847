import Harness

@main
enum Parsers {
    static func main() {
        Driver.run([
            FormTarget.target, JSONTarget.target, JWTTarget.target, JWKTarget.target, URLTarget.target,
            BasicTarget.target, PowerAuthTarget.target, TraceTarget.target,
        ])
    }
}
