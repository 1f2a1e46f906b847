/// Part of `/assets/console.css`: the tree, plots, verdicts.
enum ExplorerStyle {
    static let text = [tree, plots].joined(separator: "\n")

    private static let tree = """
        .tree { margin-top: 1rem; padding: .75rem; overflow: auto; max-height: 75vh; background: var(--card); border: \
        1px solid var(--line); border-radius: .75rem; }
        .tree svg { display: block; }
        .tree .branch { fill: none; stroke: var(--edge); stroke-width: 1.5; }
        .tree rect { fill: var(--paper); stroke: var(--edge); }
        .tree text { fill: var(--ink); font-size: 13px; }
        .tree .kind { fill: var(--quiet); font-size: 12px; }
        .tree .name { font-weight: 600; }
        .tree .rest text { fill: var(--leaf); text-decoration: underline; }
        .tree a:hover rect { stroke: var(--leaf); stroke-width: 2; }
        .tree a:focus-visible rect { stroke: var(--ring); stroke-width: 3; }
        .tree a:focus-visible text { text-decoration: underline; }
        .tree .live circle { fill: var(--leaf); }
        .tree .hollow { fill: none; stroke: var(--quiet); stroke-width: 2; stroke-dasharray: 3 2; }
        .tree .stroke { fill: none; stroke: var(--bad); stroke-width: 3; stroke-linecap: round; }
        .tree .used .stroke { stroke: var(--quiet); }
        .tree .revoked rect { fill: var(--bad-wash); stroke: var(--bad-line); }
        .tree .revoked .kind, .tree .revoked .name { fill: var(--bad); }
        .branch-list { padding-left: 1.25rem; border-left: 2px solid var(--line); margin-top: .35rem; }
        .branch-list li { padding: .25rem 0 .25rem .5rem; overflow-wrap: anywhere; }
        .branch-list a, .plot a { display: inline-block; min-height: 1.5rem; }
        .state { font-size: .875rem; color: var(--quiet); }
        .state.revoked { color: var(--bad); font-weight: 600; }
        .list-of-tree summary { min-height: 2.75rem; padding: .6rem 0; cursor: pointer; }
        """

    private static let plots = """
        .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem; \
        margin-top: 1rem; }
        .plots .plot { min-width: 0; margin: 0; padding: 1rem; background: var(--card); border: 1px solid \
        var(--line); border-radius: .75rem; }
        .plot h2 { margin: 0; }
        .plot svg { display: block; width: 100%; height: auto; margin-top: .5rem; }
        .plot .axis { stroke: var(--line); stroke-width: 1; }
        .plot text { fill: var(--quiet); font-size: 11px; }
        .plot .s0 { --tint: #1b6b43; } .plot .s1 { --tint: #a35200; } .plot .s2 { --tint: #2459a9; }
        .plot .s3 { --tint: #8a2f7c; } .plot .s4 { --tint: #5c6660; }
        .plot .curve { fill: none; stroke: var(--tint); stroke-width: 2; stroke-linejoin: round; }
        .plot .curve.s1 { stroke-dasharray: 6 3; } .plot .curve.s2 { stroke-dasharray: 2 3; }
        .plot .curve.s3 { stroke-dasharray: 9 3 2 3; } .plot .curve.s4 { stroke-dasharray: 1 2; }
        .plot .bar { fill: var(--tint); stroke: var(--card); stroke-width: .5; }
        .legend { display: flex; flex-wrap: wrap; gap: .15rem 1rem; margin-top: .5rem; font-size: .875rem; }
        .legend svg { display: inline-block; flex: none; width: 1.75rem; height: .75rem; margin: 0; }
        .legend li { display: flex; align-items: center; gap: .4rem; overflow-wrap: anywhere; }
        .plot details { margin-top: .5rem; font-size: .875rem; }
        .plot summary { min-height: 1.75rem; cursor: pointer; }
        .numbers { border-collapse: collapse; width: 100%; }
        .numbers th, .numbers td { padding: .2rem .5rem; text-align: right; font-variant-numeric: tabular-nums; \
        white-space: nowrap; }
        .numbers th:first-child { text-align: left; }
        .numbers thead th { white-space: normal; }
        .scroll { overflow: auto; max-height: 20rem; }
        .figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: .75rem; \
        margin-top: 1rem; }
        .figures > div { padding: .85rem 1rem; background: var(--card); border: 1px solid var(--line); \
        border-radius: .75rem; }
        .figures dd { font-size: 1.5rem; font-weight: 650; }
        .ranges { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-top: .75rem; }
        .ranges a { display: inline-flex; align-items: center; min-height: 2.75rem; }
        .ranges [aria-current] { color: inherit; font-weight: 650; text-decoration: none; }
        @media (prefers-color-scheme: dark) {
          .plot .s0 { --tint: #86d3a8; } .plot .s1 { --tint: #f2b26b; } .plot .s2 { --tint: #8fb8f5; }
          .plot .s3 { --tint: #e39bd6; } .plot .s4 { --tint: #b5bfb9; }
        }
        @media (forced-colors: active) { .plot .bar { stroke: CanvasText; } .plot .curve { stroke: CanvasText; } }
        """
}
