import Administration
import ArgumentParser
import Commands
import Foundation

/// `pando completion …`: what a shell offers behind `pando`.
struct CompletionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Let your shell complete commands, options, and names of the federation.",
        subcommands: [Install.self, Bash.self, Zsh.self, Fish.self, Words.self])

    struct Bash: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the script for bash.")
        func run() { print(CompletionScript.bash.text) }
    }

    struct Zsh: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the script for zsh.")
        func run() { print(CompletionScript.zsh.text) }
    }

    struct Fish: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the script for fish.")
        func run() { print(CompletionScript.fish.text) }
    }

    struct Install: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the script where your shell looks for it.",
            discussion: "Without more it is that of your login shell, for you alone.")
        @Argument(help: "Of which shell; that of SHELL unless said.") var shell: CompletionScript?
        @Option(help: "Write it to this folder, for all people of a machine.", completion: .directory) var dir: String?

        func run() throws {
            let environment = ProcessInfo.processInfo.environment
            let login = environment["SHELL"].flatMap { CompletionScript(rawValue: ($0 as NSString).lastPathComponent) }
            guard let script = shell ?? login else {
                throw ValidationError(
                    "name your shell: \(CompletionScript.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            let home = environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
            let folder = URL(fileURLWithPath: dir ?? script.folder(home: home, environment))
            let file = folder.appendingPathComponent(script.file)
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try (script.text + "\n").write(to: file, atomically: true, encoding: .utf8)
            } catch {
                throw AdminFailure(.failed, "\(file.path) cannot be written: \(error.localizedDescription)")
            }
            print("\(file.path)\n\(script.next)")
        }
    }

    /// What the scripts ask; a line each.
    struct Words: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "What may stand at the end of a line.", shouldDisplay: false)
        @Argument(parsing: .captureForPassthrough, help: "The words behind pando, the last of them being typed.")
        var words: [String] = []

        func run() async {
            guard let tree = CommandTree(Pando.self) else { return }
            let found = await CompletedNames.of(CommandCompletion(words, below: tree))
            if !found.isEmpty { print(found.map(PlainText.harmless).joined(separator: "\n")) }
        }
    }
}

extension CompletionScript: ExpressibleByArgument {}
