import Base

/// `/assets/pando.css`: system fonts, light and dark by preference, phone first. Pages have no style of their own
/// (`style-src 'self'`).
public enum Stylesheet {
    public static let text = [
        colours, strings, frame, doors, controls, notes, lists, account, tree, preferences,
    ].joined(separator: "\n")

    /// Changes with the text; pages ask for it by this, so that no page comes with an older style from a cache.
    static let version = Base64URL.encode(Digest.sha256(text).prefix(6))

    /// Pairs of text and ground have at least 4.5:1, edges of fields at least 3:1 (WCAG 2.2, 1.4.3 and 1.4.11).
    private static let colours = """
        :root { color-scheme: light dark; --paper: #f8f7f2; --card: #fff; --ink: #18211c; --quiet: #56615a; --line: \
        #e0ded3; --edge: #7c857f;
          --leaf: #1b6b43; --leaf-strong: #124f31; --on-leaf: #fff; --wash: #e9f2eb; --ring: #0f4a2c;
          --bad: #8a1c13; --bad-wash: #fbeae7; --bad-line: #c9685d; --warn: #5f4400; --warn-wash: #fbf1d9; \
          --warn-line: #c99a2e; --dusk: transparent; --soil: #0b2e20; }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #121714; --card: #1b221e; --ink: #e8ece8; --quiet: #a3aea7; --line: #2e3732; --edge: #78857d;
            --leaf: #86d3a8; --leaf-strong: #a9e2c2; --on-leaf: #0c2216; --wash: #1d2c23; --ring: #f0cf7a;
            --bad: #ffb8ae; --bad-wash: #381a17; --bad-line: #b4574c; --warn: #f3d78f; --warn-wash: #2f2612; \
            --warn-line: #a17f2d; --dusk: rgb(6 14 10 / .4);
          --soil: #092117; }
        }
        """

    private static let strings = """
        *, ::before, ::after { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body { margin: 0; min-height: 100vh; min-height: 100dvh; color: var(--ink); background: var(--paper); \
        overflow-wrap: break-word;
          font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
        h1, h2, h3, p, ul, dl, dd { margin: 0; padding: 0; }
        ul { list-style: ""; }
        h1 { font-size: 1.75rem; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; text-wrap: balance; }
        h2 { font-size: 1.0625rem; line-height: 1.35; font-weight: 650; }
        h3 { font-size: 1rem; line-height: 1.35; font-weight: 650; }
        h1, h2, h3, .strong, dd { overflow-wrap: anywhere; }
        a { color: var(--leaf); text-underline-offset: .18em; text-decoration-thickness: .06em; }
        a:hover { color: var(--leaf-strong); text-decoration-thickness: .12em; }
        :focus-visible { outline: 3px solid var(--ring); outline-offset: 2px; border-radius: .25rem; }
        code { font: .92em/1.5 ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace; \
        overflow-wrap: anywhere; }
        .lead { color: var(--quiet); font-size: 1.125rem; line-height: 1.5; margin-top: .4rem; }
        .lead .strong { color: var(--ink); }
        .strong { font-weight: 600; }
        .quiet { color: var(--quiet); font-size: .9375rem; }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: \
        nowrap; }
        .icon { flex: none; width: 1.375em; height: 1.375em; fill: none; stroke: currentColor; stroke-width: 1.6; \
        stroke-linecap: round; stroke-linejoin: round; }
        """

    private static let frame = """
        header, main, footer { width: 100%; max-width: 54rem; margin: 0 auto; padding: 1rem 1.25rem; }
        main { padding-bottom: 3rem; }
        .brand { display: inline-flex; align-items: center; gap: .6rem; min-height: 2.75rem; color: var(--ink); \
        text-decoration: none; font-size: 1.1875rem;
          font-weight: 650; letter-spacing: .005em; }
        .brand:hover { color: var(--leaf-strong); }
        .mark { width: 1.9rem; height: 1.9rem; }
        .blade { fill: var(--leaf); }
        .veins { fill: none; stroke: var(--paper); stroke-width: 2; stroke-linecap: round; }
        footer { color: var(--quiet); font-size: .875rem; padding-bottom: 1.75rem; }
        body:not(.door) { display: flex; flex-direction: column; }
        body:not(.door) footer { margin-top: auto; }
        .languages { display: flex; flex-wrap: wrap; gap: 0 .25rem; margin: 0 0 0 -.5rem; }
        .languages button { min-height: 2.75rem; padding: 0 .5rem; border: 0; background: none; color: var(--leaf); \
        font: inherit; text-decoration: underline; text-underline-offset: .18em; cursor: pointer; }
        .languages button:hover { color: var(--leaf-strong); }
        .languages button[aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
        img.mark { width: auto; max-width: 12rem; height: 2.25rem; }
        """

    /// On a phone the grove is a strip above, on a desktop a side of the page.
    private static let doors = """
        .door { display: flex; flex-direction: column; }
        .door > header { max-width: none; min-height: 6.5rem; background: #0d3b28 url("\(Grove.image)") top left / \
        max(100%, 30rem) auto no-repeat;
          box-shadow: inset 0 0 0 100vmax var(--dusk); }
        .door .brand, .door .brand:hover { color: #fff; }
        .door .blade { fill: #f0cf7a; }
        .door .veins { stroke: #0d3b28; }
        .door > main, .door > footer { max-width: 30rem; padding-left: 1.5rem; padding-right: 1.5rem; }
        .door > main { padding-top: 2rem; }
        .door > footer { margin-top: auto; }
        @media (max-height: 30rem) { .door > header { min-height: 4.5rem; } }
        @media (min-width: 56rem) {
          .door h1 { font-size: 2rem; }
          .door { --side: min(40%, 36rem); display: grid; grid-template: 1fr auto / var(--side) 1fr;
          background: linear-gradient(90deg, var(--soil) 0 var(--side), var(--paper) 0); }
          .door > header { grid-row: 1 / 3; position: sticky; top: 0; height: 100vh; padding: 1.75rem 2.25rem; \
          background-position: bottom center; background-size: cover; }
          .door > main { align-self: center; padding-top: 3rem; }
          .door > footer { max-width: none; text-align: center; margin: 0; }
          .door .languages, .door > footer .links { justify-content: center; }
        }
        """

    private static let controls = """
        form { margin-top: 1.5rem; }
        label { display: block; font-weight: 600; font-size: .9375rem; margin: 1.1rem 0 .35rem; }
        form > label:first-of-type { margin-top: 0; }
        .hint { color: var(--quiet); font-size: .875rem; line-height: 1.4; margin: -.1rem 0 .45rem; }
        input { display: block; width: 100%; min-height: 3rem; padding: .6rem .85rem; color: inherit; background: \
        var(--card); border: 1px solid var(--edge);
          border-radius: .625rem; font: inherit; }
        input:hover { border-color: var(--leaf); }
        input:focus-visible { outline-offset: 1px; border-color: var(--ring); border-radius: .625rem; }
        input[aria-invalid] { border-color: var(--bad-line); box-shadow: inset 0 0 0 1px var(--bad-line); }
        input[type="hidden"], [hidden] { display: none; }
        .button { display: flex; align-items: center; justify-content: center; width: 100%; min-height: 3rem; \
        padding: .6rem 1.25rem; border: 1px solid transparent;
          border-radius: .625rem;
          background: var(--leaf); color: var(--on-leaf); font: inherit; font-weight: 600; line-height: 1.25; \
          text-align: center; text-decoration: none; cursor: pointer; }
        .button:hover { background: var(--leaf-strong); color: var(--on-leaf); }
        .button:focus-visible { border-radius: .625rem; }
        .button.second { background: transparent; color: var(--leaf); border-color: var(--edge); }
        .button.second:hover { background: var(--wash); color: var(--leaf-strong); border-color: var(--leaf); }
        form > .button { margin-top: 1.5rem; }
        .choice, .buttons { display: grid; gap: .75rem; margin-top: 1.5rem; }
        .buttons a { overflow-wrap: anywhere; }
        @media (min-width: 30rem) { .choice { grid-template-columns: 1fr 1fr; } }
        .or { display: flex; align-items: center; gap: 1rem; color: var(--quiet); font-size: .9375rem; margin-top: \
        1.5rem; }
        .or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
        .or + .buttons, .or + form { margin-top: 1rem; }
        form[data-passkey] + .buttons { margin-top: .75rem; }
        form[data-passkey] > input[type="hidden"] + .button { margin-top: 0; }
        .code { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace; font-size: \
        1.375rem; letter-spacing: .08em;
          text-transform: uppercase; }
        .code.shown { padding: .75rem 1rem; margin-top: .75rem; background: var(--card); border: 1px solid \
        var(--line); border-radius: .625rem;
          font-size: 1.75rem; font-weight: 600; text-align: center; text-transform: none; overflow-wrap: anywhere; }
        """

    private static let notes = """
        main > p:not([class]) { margin-top: 1.1rem; }
        .note { display: flex; gap: .75rem; padding: .85rem 1rem; margin-top: 1.25rem; border: 1px solid \
        var(--line); border-radius: .625rem; background: var(--card);
          font-size: 1rem; line-height: 1.5; }
        .note[hidden] { display: none; }
        .note.good { color: var(--leaf-strong); background: var(--wash); border-color: var(--leaf); }
        .good::before, .bad::before, .warn::before { flex: none; display: grid; place-items: center; width: 1.5rem; \
        height: 1.5rem; border-radius: 50%;
          border: .125rem solid currentColor;
          font-size: .875rem; font-weight: 700; line-height: 1; content: "!" / ""; }
        .good::before { content: "✓" / ""; }
        .note.bad { color: var(--bad); background: var(--bad-wash); border-color: var(--bad-line); }
        .note.warn { color: var(--warn); background: var(--warn-wash); border-color: var(--warn-line); }
        .small { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--quiet); \
        font-size: .875rem; }
        .door .small h2 { font-size: inherit; margin: 0 0 .2rem; }
        .host { display: flex; gap: .45rem; margin-top: .3rem; color: var(--quiet); font-size: .9375rem; \
        overflow-wrap: anywhere; }
        .host .icon { width: 1.1em; height: 1.55em; }
        .links { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-top: .25rem; font-size: .9375rem; }
        .links a { display: inline-flex; align-items: center; min-height: 2.75rem; }
        """

    private static let lists = """
        .person { display: flex; align-items: center; gap: .85rem; margin-top: 1.25rem; line-height: 1.35; \
        overflow-wrap: anywhere; }
        .avatar { flex: none; display: grid; place-items: center; width: 2.75rem; height: 2.75rem; border-radius: \
        50%; overflow: hidden; background: var(--wash);
          color: var(--leaf-strong); font-weight: 650; font-size: 1.125rem; }
        .person bdi + bdi::before { content: " · "; }
        @media (max-width: 30rem) { .person bdi + bdi::before { content: "\\A"; white-space: pre; } }
        .door h2 { margin-top: 1.5rem; }
        .lines { margin-top: .6rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); }
        .lines li { display: flex; gap: .85rem; padding: .8rem 1rem; }
        .lines li + li { border-top: 1px solid var(--line); }
        .lines .icon { color: var(--leaf); margin-top: .1rem; }
        .lines div { min-width: 0; line-height: 1.4; }
        .lines div > * { display: block; overflow-wrap: anywhere; }
        .lines .value { color: var(--quiet); }
        .door form + .quiet { margin-top: 1.25rem; }
        """

    private static let account = """
        section { margin-top: 2.5rem; }
        section > h2 { font-size: 1.3125rem; letter-spacing: -.01em; margin-bottom: .25rem; }
        main > h2 { margin-top: 2.25rem; }
        .cards { display: grid; gap: .75rem; margin-top: 1rem; }
        .cards > li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: \
        .85rem 1.5rem; padding: 1rem 1.15rem;
          background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
        .cards > li > a { display: inline-flex; align-items: center; min-height: 2.75rem; }
        .cards > li > div { flex: 1 1 20rem; min-width: 0; }
        .cards form, .cards form .button { margin: 0; }
        .cards dl { display: flex; flex-wrap: wrap; gap: .4rem 1.75rem; margin-top: .5rem; font-size: .9375rem; \
        line-height: 1.4; }
        dt { color: var(--quiet); font-size: .8125rem; }
        .cards dd bdi + bdi::before { content: " · "; color: var(--quiet); }
        .badge { display: inline-block; padding: .1rem .55rem; border-radius: 1rem; background: var(--wash); color: \
        var(--leaf-strong); font-size: .8125rem;
          font-weight: 600; }
        .empty { padding: 1.15rem; margin-top: 1rem; border: 1px dashed var(--edge); border-radius: .75rem; color: \
        var(--quiet); }
        .self .buttons { margin-top: 1.25rem; }
        @media (min-width: 40rem) {
          .self { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 1rem; }
          .self .person, .self .buttons { margin-top: 1rem; }
          .self .buttons { grid-auto-flow: column; }
        }
        @media (max-width: 30rem) { .cards form, .cards form .button { width: 100%; } }
        .plain { margin-top: .5rem; }
        .plain a { display: inline-flex; align-items: center; min-height: 2.75rem; }
        .facts { padding: .4rem 1.15rem; margin-top: 1.5rem; background: var(--card); border: 1px solid var(--line); \
        border-radius: .75rem; }
        .facts > div { padding: .7rem 0; }
        .facts > div + div { border-top: 1px solid var(--line); }
        .tags { display: flex; flex-wrap: wrap; gap: .4rem; }
        .tags code { padding: .15rem .6rem; border-radius: .4rem; background: var(--wash); }
        .qr { display: block; width: min(100%, 17.5rem); height: auto; margin-top: 1rem; border: 1px solid \
        var(--line); border-radius: .625rem; }
        .steps { margin: 1.25rem 0 0; padding-left: 1.4rem; }
        .steps li + li { margin-top: .4rem; }
        .scan, .here { margin-top: 1.5rem; }
        .scan .qr { width: min(100%, 20rem); margin: 1rem auto; background: #fff; }
        .scan .quiet { text-align: center; }
        @media (hover: hover) and (pointer: fine) { .here { display: none; } }
        main > .quiet { margin-top: 1.25rem; }
        main > .button { width: fit-content; margin-top: 1.5rem; }
        """

    private static let tree = """
        summary.button { list-style: none; }
        summary.button::-webkit-details-marker { display: none; }
        .cards details form, .others form { max-width: 34rem; padding: 1rem 1.15rem; margin: .75rem 0 0; \
        background: var(--paper); border: 1px solid var(--line); border-radius: .625rem; }
        .cards details form .button, .others form .button { margin-top: 1rem; }
        .cards details p + p, .others p + p { margin-top: .4rem; }
        .cards > li > details[open] { flex-basis: 100%; }
        .cards > li > details[open] > summary { width: fit-content; }
        .cards > li > .below { flex-basis: 100%; }
        .below > p { font-size: .8125rem; font-weight: 400; color: var(--quiet); }
        .branches { border-left: 2px solid var(--line); margin-top: .35rem; }
        .branches > li { padding: .5rem 0 .5rem 1.15rem; }
        .branches details { margin-top: .35rem; }
        .branches .button { width: fit-content; min-height: 2.75rem; }
        .others { margin-top: 1rem; }
        .others summary { width: fit-content; }
        """

    private static let preferences = """
        @media (prefers-reduced-motion: no-preference) { a, .button, input { transition: background-color .15s, \
        border-color .15s, color .15s; } }
        @media (prefers-contrast: more) { :root { --quiet: var(--ink); --line: var(--edge); } }
        @media (forced-colors: active) { .button { border-color: ButtonText; } .mark { display: none; } }
        @media print { .door > header { background: none; min-height: 0; } .door .brand { color: #000; } }
        """
}
