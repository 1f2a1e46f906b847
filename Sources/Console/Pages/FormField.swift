import Administration
import Base
import Pages

/// An argument of a command as a field of a form.
struct FormField: Sendable {
    struct Choice: Sendable { let value: String, text: String, isChosen: Bool }

    let name: String, id: String, label: String, value: String, help: String, hasHelp: Bool
    let isText: Bool, isPassword: Bool, isLong: Bool, isTick: Bool, isChoice: Bool
    let isNeeded: Bool, isChosen: Bool
    let choices: [Choice]
    let note: String?

    /// `text` is what stands in it.
    init(_ argument: AdminArgument, text: String?, _ words: SharedStrings<ConsoleStrings>) {
        (name, id, label) = (argument.name, "f-\(argument.name)", words.member(argument.name))
        isPassword = argument.name == AdminArgument.stdin
        // A password is read of stdin on the command line only, which its help is about.
        (value, help, hasHelp) = (text ?? "", argument.about, !argument.about.isEmpty && !isPassword)
        isTick = argument.kind == .flag && !isPassword && !argument.isDenied
        isLong = !isPassword && !isTick && (argument.isRepeating || argument.isFile)
        isChoice = !isPassword && !isTick && !isLong && (argument.isDenied || !argument.values.isEmpty)
        isText = !isPassword && !isTick && !isLong && !isChoice
        isNeeded = isPassword || (!argument.isOptional && !isTick)
        isChosen = isTick && text != nil
        var choices = argument.values.map { Choice(value: $0, text: words.value($0), isChosen: $0 == text) }
        if argument.isDenied {
            choices = [("yes", words.yes), ("no", words.no)].map {
                Choice(value: $0.0, text: $0.1, isChosen: $0.0 == text)
            }
        }
        if argument.isOptional || argument.isDenied {
            choices.insert(Choice(value: "", text: words.choose, isChosen: text == nil), at: 0)
        }
        self.choices = choices
        note = argument.isFile ? words.fromFile : argument.isRepeating ? words.oneALine : nil
    }

    /// As a command takes them: ticks are true, and what can be denied is what was chosen; of what may be repeated
    /// each line is one.
    static func arguments(_ texts: [(String, String)], of entry: AdminEntry) -> JSONObject {
        var arguments = JSONObject()
        for (name, text) in texts {
            guard let argument = entry.arguments.first(where: { $0.name == name }) else { continue }
            if argument.kind == .flag, name != AdminArgument.stdin {
                arguments[name] = .bool(!(argument.isDenied && text == "no"))
            } else if argument.isRepeating, !argument.isFile {
                let lines = text.split(whereSeparator: \.isNewline).map { line in
                    String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
                }
                arguments[name] = JSONValue(strings: lines.filter { !$0.isEmpty })
            } else {
                arguments[name] = .string(text)
            }
        }
        return arguments
    }

    static let template = """
        {{#isTick}}<div class="tick"><input type="checkbox" id="{{id}}" name="{{name}}" value="yes" \
        autocomplete="off"{{#isChosen}} checked{{/isChosen}}{{#hasHelp}} aria-describedby="{{id}}-help"{{/hasHelp}}>\
        <label for="{{id}}">{{label}}</label></div>{{/isTick}}\
        {{^isTick}}<label for="{{id}}">{{label}}</label>{{/isTick}}\
        {{#hasHelp}}<p class="hint" id="{{id}}-help" lang="en">{{help}}</p>{{/hasHelp}}\
        {{#.note}}<p class="hint">{{.}}</p>{{/.note}}\
        {{#isText}}<input id="{{id}}" name="{{name}}" value="{{value}}" autocomplete="off"\
        {{#isNeeded}} required{{/isNeeded}}{{#hasHelp}} aria-describedby="{{id}}-help"{{/hasHelp}}>{{/isText}}\
        {{#isPassword}}<input id="{{id}}" name="{{name}}" type="password" autocomplete="new-password" \
        required>{{/isPassword}}\
        {{#isLong}}<textarea id="{{id}}" name="{{name}}" autocomplete="off" spellcheck="false"\
        {{#isNeeded}} required{{/isNeeded}}{{#hasHelp}} aria-describedby="{{id}}-help"{{/hasHelp}}>
        {{value}}</textarea>{{/isLong}}\
        {{#isChoice}}<select id="{{id}}" name="{{name}}" autocomplete="off"\
        {{#hasHelp}} aria-describedby="{{id}}-help"{{/hasHelp}}>{{#choices}}<option value="{{value}}"\
        {{#isChosen}} selected{{/isChosen}}>{{text}}</option>{{/choices}}</select>{{/isChoice}}
        """
}
