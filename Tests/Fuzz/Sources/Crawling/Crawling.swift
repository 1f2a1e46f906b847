import Harness

@main
enum Crawling {
    static func main() {
        Driver.run([
            RSDXMLTarget.target, RSDJSONTarget.target, PageTarget.target, ServicesTarget.target, LinksTarget.target,
            EncodingTarget.target,
        ])
    }
}
