/// `/assets/pando.css`: system fonts, light and dark by preference, one column that fits a phone.
public enum Stylesheet {
    public static let text = """
        :root { color-scheme: light dark; --ink: #1c2420; --paper: #fbfaf6; --quiet: #5c6660; --line: #dcd9cf; --leaf: #1f6f43; --card: #ffffff; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e9ece6; --paper: #141815; --quiet: #9aa69e; --line: #2c342f; --leaf: #7cc79b; --card: #1b211d; } }
        * { box-sizing: border-box; }
        body { margin: 0; font: 1.0625rem/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
        header, main, footer { max-width: 42rem; margin: 0 auto; padding: 1rem 1.25rem; }
        header { padding-top: 1.5rem; }
        .brand { font-weight: 700; color: var(--leaf); text-decoration: none; letter-spacing: .02em; }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: .5rem 0 1rem; }
        h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
        a { color: var(--leaf); }
        a:focus-visible { outline: 3px solid var(--leaf); outline-offset: 2px; border-radius: .2rem; }
        .lead { font-size: 1.125rem; color: var(--quiet); }
        .quiet, footer { color: var(--quiet); font-size: .9rem; }
        code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
        ul.cards { list-style: none; padding: 0; display: grid; gap: .75rem; }
        ul.cards li { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1rem; display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; }
        ul.plain { padding-left: 1.2rem; }
        .button { display: inline-block; padding: .7rem 1.1rem; border-radius: .6rem; background: var(--leaf); color: var(--paper); text-decoration: none; font-weight: 600; }
        dl.facts { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin: 0; }
        dl.facts dt { color: var(--quiet); font-size: .85rem; }
        dl.facts dd { margin: 0 0 .8rem; overflow-wrap: anywhere; }
        footer { border-top: 1px solid var(--line); margin-top: 3rem; }
        """
}
