import Administration
import ArgumentParser
import Foundation
import Server

/// `pando man`: manual pages, made of how the commands are declared.
struct ManCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "man", abstract: "Write the manual pages.",
        discussion: "One for pando, one for each of its commands, one for each noun of pando admin.")
    @Option(help: "Folder for the pages, e.g. /usr/local/share/man/man1; it is made.", completion: .directory)
    var out: String

    func run() throws {
        guard let tree = CommandTree(Pando.self) else { throw AdminFailure(.failed, "the commands cannot be read") }
        let folder = URL(fileURLWithPath: out)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for page in ManualPage.all(tree, version: Version.text) {
                let file = folder.appendingPathComponent("\(page.name).1")
                try page.text.write(to: file, atomically: true, encoding: .utf8)
                print(file.path)
            }
        } catch {
            throw AdminFailure(.failed, "\(folder.path) cannot be written: \(error.localizedDescription)")
        }
    }
}
