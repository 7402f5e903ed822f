import { assertNever, escapeHtml } from "@caret/protocol";
import type { DocumentFormat } from "./session-document.ts";

const style = `
:root { color-scheme: light dark; --text: #1c1c1f; --soft: #5f6068; --page: #fdfdfc; --card: #f1f1ef; --line: #dcdcd8; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e7e7e4; --soft: #a2a3aa; --page: #17171a; --card: #232327; --line: #3a3a40; }
}
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 50rem; font: 16px/1.6 system-ui, sans-serif; color: var(--text); background: var(--page); }
h1 { font-size: 1.5rem; line-height: 1.3; }
ul, .note, summary { color: var(--soft); font-size: 0.875rem; }
ul { list-style: none; padding: 0; }
.prompt, details { border: 1px solid var(--line); border-radius: 0.5rem; background: var(--card); }
.prompt { margin: 2.5rem 0 1rem; padding: 0.75rem 1rem; font-weight: 600; }
details { margin: 0.5rem 0; }
summary { padding: 0.4rem 0.75rem; cursor: pointer; overflow-wrap: anywhere; }
.prompt, .text, .note { white-space: pre-wrap; overflow-wrap: anywhere; }
pre { margin: 0; padding: 0.75rem; overflow-x: auto; border-top: 1px solid var(--line); font: 0.8125rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** One file for itself: no script, nothing loaded from anywhere, every text escaped. */
export const htmlFormat: DocumentFormat = {
  head: ({ title, facts }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<ul>${facts.map((fact) => `<li>${escapeHtml(fact)}</li>`).join("")}</ul>
`,
  block(block) {
    switch (block.kind) {
      case "prompt":
      case "text":
      case "note":
        return `<div class="${block.kind}">${escapeHtml(block.text.trim())}</div>\n`;
      case "details":
        return `<details><summary>${escapeHtml(block.title)}</summary><pre>${escapeHtml(block.text)}</pre></details>\n`;
      default:
        return assertNever(block);
    }
  },
  end: () => "</body>\n</html>\n",
};
