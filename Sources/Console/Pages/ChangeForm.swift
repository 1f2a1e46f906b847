import Administration
import Base
import HTTP

/// What was filled in for a change, by link or by form, and what the command makes of it.
struct ChangeForm: Sendable {
    let entry: AdminEntry
    /// Arguments that are there, as text.
    let texts: [(String, String)]
    let reason: String?
    /// Of the thing as it was when the form was made, where the change is one of its members: what somebody else has
    /// changed since is nothing that this person did.
    private let current: JSONObject?
    private let isFilledIn: Bool
    /// What this person is not asked.
    let withheld: Set<String>

    /// `isSent`: it comes from a form, and is no link to one.
    init(_ entry: AdminEntry, _ request: ConsoleRequest, isSent: Bool = false) async throws {
        (self.entry, withheld) = (entry, entry.withheld(from: request.admin.authority))
        var texts: [(String, String)] = []
        for argument in entry.arguments where !argument.isShared {
            if let text = try request.browser.parameters[argument.name] { texts.append((argument.name, text)) }
        }
        self.texts = texts
        reason = try request.browser.parameters["reason"]
        let sent = isSent && entry.verb == "update" ? try request.browser.parameters["console_was"] : nil
        let was = sent.flatMap { try? FormCodec.read($0.utf8) }
        isFilledIn = was != nil
        let show = request.context.catalog.entry(entry.noun + ["show"])
        // What is not there has no form; what is to be made is not there yet.
        guard let show, !entry.makes else {
            current = nil
            return
        }
        let named = show.taking(texts)
        guard show.needed.allSatisfy({ need in named.contains { $0.0 == need.name } }),
            case .object(let thing) = try await request.context.catalog.run(
                show, FormField.arguments(named, of: show), in: request.admin)
        else {
            current = nil
            return
        }
        guard let was else {
            current = entry.verb == "update" ? thing : nil
            return
        }
        current = JSONObject(was.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) })
    }

    /// What the link says that the change is about.
    var named: [(String, String)] { about(repeating: false) }
    /// With what can be added to.
    var asked: [(String, String)] { about(repeating: true) }

    private func about(repeating: Bool) -> [(String, String)] {
        let places = entry.arguments.filter { $0.kind == .positional && !$0.isFile && (repeating || !$0.isRepeating) }
        return texts.filter { name, _ in places.contains { $0.name == name } }
    }

    /// What a field begins with.
    func text(_ name: String) -> String? {
        guard !entry.isSecret(name) else { return nil }
        let text = texts.first { $0.0 == name }?.1
        return isFilledIn ? text : text ?? current.flatMap { $0[name]?.string }
    }

    /// What it began with, as it carries that; empty where it began with nothing.
    var was: String {
        FormCodec.write(
            entry.arguments.filter { $0.kind == .option && !$0.isShared && !withheld.contains($0.name) }
                .compactMap { argument in
                    current.flatMap { $0[argument.name]?.string }.map { (argument.name, $0) }
                })
    }

    /// What is to be changed: of a form that began with what is, only what is another; what was emptied is taken away.
    var arguments: JSONObject {
        var arguments = FormField.arguments(texts, of: entry)
        guard let current else { return arguments }
        for argument in entry.arguments
        where argument.kind == .option && !argument.isShared && !withheld.contains(argument.name) {
            guard let was = current[argument.name]?.string, !was.isEmpty else { continue }
            switch arguments[argument.name] {
            case .string(was)?: arguments[argument.name] = nil
            // A field that was emptied is sent all the same.
            case nil where !argument.isRepeating && !argument.isFile && texts.contains { $0.0 == argument.name }:
                arguments[argument.name] = ""
            default: break
            }
        }
        return arguments
    }

    /// Where it leads when nothing is done: to the thing, or to its list.
    func back(in catalog: AdminCatalog) -> String { thing([:], in: catalog) ?? list(in: catalog) ?? "/admin" }

    /// Where it leads when it is done; `nil` where no page would show it.
    func after(_ result: JSONObject, in catalog: AdminCatalog) -> String? {
        ["delete", "remove"].contains(entry.verb)
            ? list(in: catalog) : thing(result, in: catalog) ?? list(in: catalog)
    }

    private func thing(_ result: JSONObject, in catalog: AdminCatalog) -> String? {
        guard let show = catalog.entry(entry.nounAfter + ["show"]), CatalogPages.has(show) else { return nil }
        var named: [(String, String)] = []
        for argument in show.needed {
            let given = texts.first { $0.0 == argument.name }?.1
            guard let value = ThingPage.value(argument.name, of: result, entry.nounAfter) ?? given else { return nil }
            named.append((argument.name, value))
        }
        return CatalogPages.address(show.words, named)
    }

    private func list(in catalog: AdminCatalog) -> String? {
        guard let list = catalog.entry(entry.nounAfter + ["list"]), CatalogPages.has(list) else { return nil }
        let named = list.taking(texts).filter { name, _ in list.needed.contains { $0.name == name } }
        return named.count == list.needed.count ? CatalogPages.address(list.words, named) : nil
    }

    /// It asks before it runs on the command line. What cannot be understood yet destroys nothing.
    func destroys(in catalog: AdminCatalog) -> Bool {
        guard let change = try? catalog.command(entry, arguments) as? any AdminChange else { return false }
        return change.question != nil
    }
}
