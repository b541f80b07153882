"""The style of the HTML export: one sheet, light and dark, no file and no font from outside."""

STYLE = """
:root { color-scheme: light dark; --page: #f6f7f9; --card: #ffffff; --ink: #1d2430; --soft: #5b6676;
  --line: #d9dee6; --well: #f1f3f6; --link: #1f5fbf; --ok: #1a7f45; --failed: #bb2b33;
  --fell_back: #8f5b00; --replanned: #7a3fb5; --quiet: #6b7686; --running: #1f5fbf; }
@media (prefers-color-scheme: dark) { :root { --page: #14171c; --card: #1c2027; --ink: #e6e9ee;
  --soft: #9aa5b4; --line: #333a45; --well: #15191f; --link: #7fb0ff; --ok: #5fce8c;
  --failed: #ff8288; --fell_back: #f0b355; --replanned: #c79bff; --quiet: #97a2b1;
  --running: #7fb0ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 1.25rem 1.5rem; margin-bottom: 1.25rem; }
h1 { font-size: 1.35rem; line-height: 1.35; margin: 0.15rem 0 0.75rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0 0 0.6rem; }
.over { color: var(--soft); font-size: 0.85rem; }
.answer { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr));
  gap: 0.6rem 1rem; margin: 0; }
dt { color: var(--soft); font-size: 0.78rem; }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.tree, .tree ul { list-style: none; margin: 0; padding: 0; }
.tree ul { margin-left: 0.62rem; padding-left: 0.8rem; border-left: 1px solid var(--line); }
.tree li { margin: 1px 0; }
summary { cursor: pointer; border-radius: 6px; padding: 0.18rem 0.4rem;
  list-style-position: outside; }
summary:hover { background: var(--well); }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
li > details { margin-left: 1rem; }
.sign { display: inline-block; width: 1.3em; text-align: center; font-weight: 700; }
.title { font-weight: 550; overflow-wrap: anywhere; unicode-bidi: isolate; }
.kind, .number { color: var(--soft); font-size: 0.8rem; margin-left: 0.6rem; white-space: nowrap; }
.number { font-variant-numeric: tabular-nums; }
.state { font-size: 0.8rem; margin-left: 0.6rem; overflow-wrap: anywhere; }
.inside { margin: 0.2rem 0 0.5rem 1.5rem; }
.card > .inside { margin-left: 0; }
.inside p { margin: 0.25rem 0; color: var(--soft); font-size: 0.88rem; overflow-wrap: anywhere; }
.payload > summary { color: var(--soft); font-size: 0.85rem; list-style-position: inside;
  padding-left: 0; }
pre { background: var(--well); border: 1px solid var(--line); border-radius: 6px;
  margin: 0.25rem 0 0.6rem;
  padding: 0.6rem 0.8rem; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 32rem;
  overflow: auto;
  font: 12.5px/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace;
  unicode-bidi: plaintext; }
.role { color: var(--soft); font-size: 0.78rem; margin: 0.4rem 0 0; }
.call { border-left: 3px solid var(--link); margin: 0.25rem 0 0.6rem 0.4rem; padding-left: 0.7rem; }
a { color: var(--link); }
:target > details > summary { box-shadow: 0 0 0 2px var(--link); }
.ok > details > summary .sign, .pill.solved { color: var(--ok); }
.failed > details > summary .sign, .failed > details > summary .state, .pill.unsolved, .pill.error,
  .pill.over_budget { color: var(--failed); }
.fell_back > details > summary .sign,
  .fell_back > details > summary .state { color: var(--fell_back); }
.in_doubt > details > summary .sign,
  .in_doubt > details > summary .state { color: var(--fell_back); }
.replanned > details > summary .sign,
  .replanned > details > summary .state { color: var(--replanned); }
.running > details > summary .sign { color: var(--running); }
.waiting > details > summary, .abandoned > details > summary, .kept > details > summary,
  .cancelled > details > summary { color: var(--quiet); }
.pill { display: inline-block; border: 1px solid currentColor; border-radius: 99px;
  padding: 0 0.6rem;
  font-size: 0.8rem; font-weight: 600; margin-left: 0.4rem; }
footer { color: var(--soft); font-size: 0.8rem; }
@media (max-width: 40rem) { main { padding: 1rem 0.5rem 2rem; } .card { padding: 1rem; }
  .tree ul { margin-left: 0.3rem; padding-left: 0.3rem; } .inside { margin-left: 0.6rem; } }
@media print { body { background: none; } .card { border: 0; padding: 0; }
  pre { max-height: none; } }
"""
