/// What a shell runs to ask `pando completion words`: nothing of the commands stands in it, so it holds for every
/// version.
enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    var file: String {
        switch self {
        case .bash: "pando"
        case .zsh: "_pando"
        case .fish: "pando.fish"
        }
    }

    /// Of one person.
    func folder(home: String, _ environment: [String: String]) -> String {
        func base(_ name: String, _ usual: String) -> String {
            environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/\(usual)"
        }
        return switch self {
        case .bash: base("XDG_DATA_HOME", ".local/share") + "/bash-completion/completions"
        case .zsh: base("XDG_DATA_HOME", ".local/share") + "/zsh/site-functions"
        case .fish: base("XDG_CONFIG_HOME", ".config") + "/fish/completions"
        }
    }

    /// What is left to do.
    var next: String {
        switch self {
        case .bash: "New shells have it where the package bash-completion is; else source that file in ~/.bashrc."
        case .zsh: "New shells have it where that folder stands in fpath before compinit, in ~/.zshrc."
        case .fish: "New shells have it."
        }
    }

    var text: String {
        switch self {
        case .bash: CompletionScript.ofBash
        case .zsh: CompletionScript.ofZsh
        case .fish: CompletionScript.ofFish
        }
    }

    /// Bash parts words at `:`, `=` and `@` as well, and puts what it is given behind the last of them.
    private static let ofBash = #"""
        # bash completion for pando
        _pando() {
            local line="${COMP_LINE:0:COMP_POINT}" words=() current cut="" breaks="" mark
            read -ra words <<< "$line"
            [[ $line == *[[:space:]] ]] && words+=("")
            current=${words[${#words[@]} - 1]}
            local IFS=$'\n'
            COMPREPLY=($("$1" completion words "${words[@]:1}" 2>/dev/null))
            for mark in : = @; do [[ $COMP_WORDBREAKS == *$mark* ]] && breaks+=$mark; done
            [[ -n $breaks ]] && cut=${current%"${current##*[$breaks]}"}
            COMPREPLY=("${COMPREPLY[@]#"$cut"}")
            [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=] ]] && compopt -o nospace
            return 0
        }
        complete -o default -o bashdefault -F _pando pando
        """#

    private static let ofZsh = #"""
        #compdef pando
        _pando() {
            local -a found
            found=("${(@f)$("$words[1]" completion words "${(@)words[2,CURRENT]}" 2>/dev/null)}")
            found=(${found:#})
            if (( ${#found} == 1 )) && [[ $found[1] == *[:=] ]]; then
                compadd -S '' -- $found
            elif (( ${#found} )); then
                compadd -- $found
            else
                _files
            fi
        }
        if [ "$funcstack[1]" = "_pando" ]; then _pando "$@"; else compdef _pando pando; fi
        """#

    private static let ofFish = #"""
        # fish completion for pando
        function __pando_words
            set -l words (commandline -opc)
            set -a words (commandline -ct | string collect --allow-empty)
            set -l found ($words[1] completion words $words[2..-1] 2>/dev/null)
            if test (count $found) -gt 0
                printf '%s\n' $found
            else
                __fish_complete_path (commandline -ct)
            end
        end
        complete -c pando -f -a '(__pando_words)'
        """#
}
