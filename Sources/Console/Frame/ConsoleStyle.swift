import Base

/// `/assets/console.css`, beside the style of all pages: a menu at the side, wide tables that become cards on a phone.
enum ConsoleStyle {
    static let text = [frame, tables, forms].joined(separator: "\n")

    static let address = "/assets/console.css?v=\(Base64URL.encode(Digest.sha256(text).prefix(6)))"

    private static let frame = """
        .console > header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; \
        gap: 0 1.5rem; max-width: 90rem; }
        .who { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.25rem; font-size: .9375rem; }
        .who a { display: inline-flex; align-items: center; min-height: 2.75rem; }
        .console > main { max-width: 90rem; }
        .console > nav { width: 100%; padding: 1rem 1.25rem; border-top: 1px solid var(--line); }
        .console > nav h2 { margin-top: 1rem; font-size: .8125rem; color: var(--quiet); }
        .console > nav a { display: inline-flex; align-items: center; min-height: 2.75rem; padding: 0 .6rem; \
        border-radius: .5rem; text-decoration: none; }
        .console > nav a:hover { text-decoration: underline; }
        .console > nav [aria-current] { background: var(--wash); color: var(--leaf-strong); font-weight: 650; }
        .console > footer { max-width: 90rem; }
        .console section { margin-top: 2rem; }
        @media (min-width: 56rem) {
          body.console { display: grid; grid-template: auto 1fr auto / 15rem minmax(0, 1fr); max-width: 90rem; \
          margin: 0 auto; }
          .console > header, .console > footer { grid-column: 1 / 3; }
          .console > main { grid-area: 2 / 2; padding-top: 0; }
          .console > nav { grid-area: 2 / 1; border-top: 0; padding-top: 0; }
          .console > nav a { min-height: 2.25rem; width: 100%; }
          .who .menu { display: none; }
        }
        """

    private static let tables = """
        .table { width: 100%; margin-top: 1rem; border-collapse: collapse; background: var(--card); font-size: \
        .9375rem; border: 1px solid var(--line); }
        .table th, .table td { padding: .55rem .75rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
        .table thead th { color: var(--quiet); font-size: .8125rem; font-weight: 600; white-space: nowrap; }
        .table tbody tr { border-top: 1px solid var(--line); }
        .table tbody th { font-weight: 600; }
        @media (max-width: 48rem) {
          .table, .table tbody, .table tr, .table td, .table th { display: block; }
          .table { border: 0; background: none; }
          .table thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .table tbody tr { padding: .6rem 0; margin-top: .75rem; border: 1px solid var(--line); border-radius: \
          .75rem; background: var(--card); }
          .table th, .table td { padding: .3rem 1rem; }
          .table td::before { content: attr(data-label) " "; color: var(--quiet); font-size: .8125rem; display: \
          block; }
        }
        .badge.off { background: var(--bad-wash); color: var(--bad); }
        .badge.wait { background: var(--warn-wash); color: var(--warn); }
        .facts.wide { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: 0 1.5rem; }
        .facts.wide > div + div { border-top: 0; }
        .facts dd { overflow-wrap: anywhere; }
        .more { display: flex; gap: 1rem; margin-top: 1rem; }
        .actions { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: 1.25rem; }
        .actions .button { width: auto; min-height: 2.75rem; padding: .45rem 1rem; }
        .crumbs { margin-bottom: .5rem; font-size: .9375rem; }
        .secret { padding: .75rem 1rem; margin-top: .5rem; background: var(--warn-wash); border: 1px solid \
        var(--warn-line); border-radius: .625rem; }
        .secret code { user-select: all; }
        """

    private static let forms = """
        .console form { max-width: 40rem; }
        .console form.filter { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: \
        .5rem 1rem; align-items: end; max-width: none; margin-top: 1rem; }
        .console form.filter label { margin: 0 0 .25rem; }
        .console form.filter .button { width: auto; margin: 0; }
        .console textarea, .console select { display: block; width: 100%; min-height: 3rem; padding: .6rem .85rem; \
        color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .625rem; font: inherit; }
        .console textarea { min-height: 6rem; }
        .console .tick { display: flex; align-items: center; gap: .75rem; margin-top: 1.1rem; }
        .console .tick label { margin: 0; }
        .console .tick input { width: 1.5rem; min-height: 1.5rem; flex: none; }
        .button.danger { background: var(--bad); color: var(--paper); }
        .button.danger:hover { background: var(--ink); color: var(--paper); }
        """
}
