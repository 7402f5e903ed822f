import type { Todo, ToolKind } from "@caret/protocol";

/** The symbols we print, with ASCII substitutes for locales that cannot show them. */
export interface Glyphs {
  readonly ok: string;
  readonly failed: string;
  readonly stopped: string;
  readonly thinking: string;
  readonly quote: string;
  readonly bullet: string;
  readonly notice: string;
  readonly arrow: string;
  readonly question: string;
  readonly separator: string;
  readonly ellipsis: string;
  readonly minus: string;
  /** One segment of a bar. */
  readonly bar: string;
  readonly tools: Readonly<Record<ToolKind, string>>;
  readonly todos: Readonly<Record<Todo["status"], string>>;
  readonly spinner: readonly string[];
}

const unicodeGlyphs: Glyphs = {
  ok: "✓",
  failed: "✗",
  stopped: "⊘",
  thinking: "┊",
  quote: "│",
  bullet: "•",
  notice: "·",
  arrow: "→",
  question: "?",
  separator: "·",
  ellipsis: "…",
  minus: "−",
  bar: "▇",
  tools: {
    shell: "$",
    read: "←",
    edit: "±",
    write: "+",
    search: "∗",
    fetch: "↓",
    todo: "☰",
    task: "»",
    mcp: "◇",
    question: "?",
    plan: "¶",
    other: "•",
  },
  todos: { pending: "☐", "in-progress": "▶", completed: "☑", cancelled: "☒", unknown: "☐" },
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
};

const asciiGlyphs: Glyphs = {
  ok: "ok",
  failed: "FAILED",
  stopped: "STOPPED",
  thinking: ":",
  quote: "|",
  bullet: "*",
  notice: "-",
  arrow: "->",
  question: "?",
  separator: "-",
  ellipsis: "...",
  minus: "-",
  bar: "#",
  tools: {
    shell: "$",
    read: "<",
    edit: "~",
    write: "+",
    search: "/",
    fetch: "@",
    todo: "=",
    task: "&",
    mcp: "%",
    question: "?",
    plan: "#",
    other: "*",
  },
  todos: { pending: "[ ]", "in-progress": "[>]", completed: "[x]", cancelled: "[-]", unknown: "[ ]" },
  spinner: ["|", "/", "-", "\\"],
};

export function chooseGlyphs(isUtf8: boolean): Glyphs {
  return isUtf8 ? unicodeGlyphs : asciiGlyphs;
}
