import { stripVTControlCharacters } from "node:util";
import type { AgentEvent, ToolKind } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { displayWidth } from "./shorten.ts";
import { createTurnRenderer, type TurnRendererOptions } from "./turn-renderer.ts";

const started: AgentEvent = { type: "turn-start", turnId: "t1", lane: "cli", model: "gpt-5", workspace: "/w/app" };
const completed: AgentEvent = { type: "turn-end", outcome: { kind: "completed" } };

let blocks = 0;
function says(...texts: readonly string[]): readonly AgentEvent[] {
  const blockId = `text-${++blocks}`;
  const deltas = texts.map((text) => ({ type: "text-delta", blockId, text }) as const);
  return [{ type: "text-start", blockId }, ...deltas, { type: "text-end", blockId }];
}

function thinks(...texts: readonly string[]): readonly AgentEvent[] {
  const blockId = `thinking-${++blocks}`;
  const deltas = texts.map((text) => ({ type: "thinking-delta", blockId, text }) as const);
  return [{ type: "thinking-start", blockId }, ...deltas, { type: "thinking-end", blockId }];
}

function calls(
  callId: string,
  kind: ToolKind,
  input: unknown,
  more: { name?: string; server?: string } = {},
): AgentEvent {
  return { type: "tool-call", callId, name: kind, kind, owner: "agent", input, ...more };
}

type Settled = Extract<AgentEvent, { type: "tool-result" }>;
function settles(callId: string, result: Partial<Settled> = {}): AgentEvent {
  return { type: "tool-result", callId, status: "ok", output: "", durationMs: 1200, ...result };
}

const pipe: TurnRendererOptions = {
  columns: () => 80,
  colours: false,
  isTty: false,
  isUtf8: true,
  now: () => 0,
};

function render(events: readonly AgentEvent[], options: Partial<TurnRendererOptions> = {}): string {
  const renderer = createTurnRenderer({ ...pipe, ...options });
  return events.map((event) => renderer.push([event])).join("") + renderer.finish();
}

/** The lines between the opening and the closing one. */
function body(events: readonly AgentEvent[], options: Partial<TurnRendererOptions> = {}): readonly string[] {
  return render([started, ...events, completed], options)
    .trimEnd()
    .split("\n")
    .slice(2, -2);
}

describe("a turn in a pipe", () => {
  it("is text, thinking, calls and a closing line, each a blank line apart", () => {
    const events = [
      started,
      ...thinks("Let me\nlook."),
      ...says("\n\nI read ", "the file.\n\n"),
      calls("a", "read", { path: "/w/app/src/index.ts" }),
      settles("a"),
      ...says("Done."),
      { type: "usage", usage: { input: 1200, output: 34, cacheRead: 56_000, cacheWrite: 0, cost: 0.0088 } } as const,
      completed,
    ];
    expect(render(events, { sessionId: "s-1" })).toBe(
      [
        "· cli lane · gpt-5 · pool: Other Models · price unknown",
        "",
        "┊ Let me",
        "┊ look.",
        "",
        "I read the file.",
        "",
        "✓ ← read src/index.ts · 1.2s",
        "",
        "Done.",
        "",
        "✓ completed in 0ms · 57.2k in (98% cached) · 34 out · $0.0088 · session s-1",
        "",
      ].join("\n"),
    );
  });

  it("puts the session on a line of its own where there is no room", () => {
    const lines = render([started, completed], { columns: () => 40, sessionId: "0198c0de-aaaa-bbbb-cccc-1234" });
    expect(lines.split("\n").slice(-3)).toEqual(["✓ completed in 0ms", "  session 0198c0de-aaaa-bbbb-cccc-1234", ""]);
  });

  it("prints each parallel call when it settles", () => {
    const events = [
      calls("a", "shell", { command: "npm test" }),
      calls("b", "search", { pattern: "TODO", path: "/w/app" }),
      calls("c", "mcp", { query: "caret" }, { name: "find", server: "docs" }),
      settles("b", { durationMs: 40 }),
      settles("a", { status: "error", output: "2 failed", exitCode: 1, durationMs: 65_000 }),
      settles("c", { status: "rejected", output: "not allowed here" }),
    ];
    expect(body(events)).toEqual([
      "✓ ∗ search TODO · 40ms",
      "✗ $ shell npm test · exit 1 · 1m 05s",
      "  │ 2 failed",
      "⊘ ◇ docs/find caret · not allowed here · 1.2s",
    ]);
  });

  it("measures a call that came without a duration", () => {
    let time = 0;
    const renderer = createTurnRenderer({ ...pipe, now: () => time });
    renderer.push([started, calls("a", "read", { path: "x" })]);
    time = 2500;
    expect(renderer.push([{ type: "tool-result", callId: "a", status: "interrupted", output: "" }])).toBe(
      "\n⊘ ← read x · interrupted · 2.5s\n",
    );
  });

  it("counts the lines of an edit, and shows whose call it was", () => {
    const diff = { path: "a.ts", before: "1\n2\n", after: "1\n3\n4\n" };
    const below = { ...calls("b", "edit", { path: "/w/app/a.ts" }), parentCallId: "a" } as AgentEvent;
    const events = [calls("a", "task", { description: "Fix it" }), below, settles("b", { diff }), settles("a")];
    expect(body(events)).toEqual(["  ✓ ± edit a.ts · +2 −1 · 1.2s", "✓ » task Fix it · 1.2s"]);
  });

  it.each([80, 200])("shortens a long command in its middle at %i columns", (columns) => {
    const command = `cd /w/app &&\n${"echo 日本 && ".repeat(30)}npm run build`;
    const [line = ""] = body([calls("a", "shell", { command }), settles("a", { status: "error", exitCode: 127 })], {
      columns: () => columns,
    });
    expect(displayWidth(line)).toBeGreaterThan(columns - 4);
    expect(displayWidth(line)).toBeLessThan(columns);
    expect(line).toMatch(/^✗ \$ shell cd \/w\/app && .*….*npm run build · exit 127 · 1\.2s$/);
  });

  it("waits with a call's line until the line of text is full", () => {
    const events: readonly AgentEvent[] = [
      { type: "text-start", blockId: "x" },
      calls("a", "read", { path: "x" }),
      { type: "text-delta", blockId: "x", text: "Half a " },
      settles("a"),
      { type: "text-delta", blockId: "x", text: "line.\nNext" },
      { type: "text-delta", blockId: "x", text: " line." },
      { type: "text-end", blockId: "x" },
    ];
    expect(body(events)).toEqual(["Half a line.", "", "✓ ← read x · 1.2s", "", "Next line."]);
  });

  it("shows questions with their answers, plans, to-dos and approvals", () => {
    const question = { id: "q", prompt: "Which?", options: [{ id: "1", label: "Red" }], allowMultiple: false };
    const events: readonly AgentEvent[] = [
      { type: "question", requestId: "r", title: "Colour", questions: [question] },
      {
        type: "question-answer",
        requestId: "r",
        outcome: "answered",
        answers: [{ questionId: "q", optionIds: ["1"] }],
      },
      { type: "plan", name: "Paint", text: "1. Buy paint\n" },
      { type: "todos", merge: false, items: [{ id: "1", content: "Buy", status: "completed" }] },
      { type: "todos", merge: true, items: [{ id: "2", content: "Paint", status: "in-progress" }] },
      { type: "todos", merge: true, items: [{ id: "2", content: "Paint", status: "in-progress" }] },
      { type: "approval-request", requestId: "p", subject: "webFetch", input: { url: "http://x.test" } },
      { type: "approval-answer", requestId: "p", decision: "rejected", by: "policy" },
    ];
    expect(body(events)).toEqual([
      "? Colour",
      "  Which?",
      "    • Red",
      "  → answered: Red",
      "¶ Plan: Paint",
      "1. Buy paint",
      "",
      "  ☑ Buy",
      "  ☑ Buy",
      "  ▶ Paint",
      "⊘ webFetch http://x.test · denied by the policy",
    ]);
  });

  it("does not blame a user who was not there", () => {
    const reason = "Questions skipped by the user";
    const events: readonly AgentEvent[] = [
      { type: "question", requestId: "r", title: "Colour", questions: [] },
      { type: "question-answer", requestId: "r", outcome: "no-input-surface", reason },
    ];
    expect(body(events)).toEqual(["? Colour", "  → nobody could be asked"]);
  });

  it("says what failed, in the upstream's words, and what to do", () => {
    const error = {
      code: "usage-limit",
      message: "The limit is reached",
      retryable: false,
      fix: "Wait for the reset.",
      upstream: "\x1b[31mYou've hit\n\nyour limit\x1b[0m\n",
    } as const;
    const events: readonly AgentEvent[] = [started, { type: "turn-end", outcome: { kind: "failed", error } }];
    expect(render(events).split("\n").slice(2)).toEqual([
      "The limit is reached [usage-limit]",
      "  │ You've hit",
      "  │ your limit",
      "  → Wait for the reset.",
      "✗ failed in 0ms",
      "",
    ]);
  });

  it("mentions what was not understood", () => {
    const unknown: AgentEvent = { type: "unknown", source: "cli", label: "sparkle", value: {} };
    expect(render([started, unknown, unknown, completed])).toContain("· 2 events are new to Caret: sparkle\n");
  });

  it("has plain signs where the locale has no others", () => {
    const events = [...says("ok"), calls("a", "shell", { command: `x${"y".repeat(99)}` }), settles("a")];
    const text = render([started, ...events, completed], { isUtf8: false });
    expect(text).not.toMatch(/[^\n\x20-\x7e]/);
  });
});

describe("ux 3: prose", () => {
  const prose = [
    ...thinks("One two three four five six seven.\n"),
    ...says("Some words ", "that are tool", "ong for it.\n"),
  ];

  it("breaks between words at the width of a terminal", () => {
    const text = render([started, ...prose, completed], { columns: () => 24, wraps: true });
    expect(text.split("\n").slice(2, -3)).toEqual([
      "┊ One two three four",
      "┊ five six seven.",
      "",
      "Some words that are",
      "toolong for it.",
    ]);
  });

  it("stays in one line in a pipe, however narrow the terminal is said to be", () => {
    expect(body(prose, { columns: () => 24 })).toEqual([
      "┊ One two three four five six seven.",
      "",
      "Some words that are toolong for it.",
    ]);
  });
});

describe("what an agent says", () => {
  it("cannot steer the terminal, wherever it says it", () => {
    const evil = "a\x1b]0;owned\x07\x1b[2Jb\u009b1mc\r\x08\u202e";
    const events: readonly AgentEvent[] = [
      { ...started, model: evil } as AgentEvent,
      ...says(evil, evil),
      ...thinks(evil),
      calls("a", "shell", { command: evil }, { name: evil }),
      settles("a", { status: "error", output: evil }),
      { type: "notice", kind: "retry", message: evil },
      { type: "question", requestId: "r", title: evil, questions: [] },
      { type: "plan", name: evil, overview: evil, text: evil },
      { type: "todos", merge: false, items: [{ id: "1", content: evil, status: "pending" }] },
      { type: "unknown", source: "cli", label: evil, value: 1 },
      {
        type: "turn-end",
        outcome: {
          kind: "failed",
          error: { code: "internal", message: evil, retryable: false, fix: evil, upstream: evil },
        },
      },
    ];
    const text = render(events, { colours: true });
    // Our own looks are the only sequences left.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
    expect(text.replaceAll(/\x1b\[\d+m/g, "")).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    expect(text).not.toContain("owned");
  });
});

describe("the status line", () => {
  const tty = { isTty: true, columns: () => 40 };
  const live = (options: Partial<TurnRendererOptions> = {}) => {
    let time = 0;
    const renderer = createTurnRenderer({ ...pipe, ...tty, ...options, now: () => time });
    return { renderer, wait: (ms: number) => (time += ms) };
  };

  it("shows what the turn waits for, and for how long", () => {
    const { renderer, wait } = live();
    const seen: string[] = [];
    const look = (events: readonly AgentEvent[], ms: number) => {
      renderer.push(events);
      wait(ms);
      seen.push(stripVTControlCharacters(renderer.tick()).trim());
    };
    look([], 1000);
    look([started], 2000);
    look([{ type: "thinking-start", blockId: "1" }], 1000);
    look([{ type: "thinking-end", blockId: "1" }], 1000);
    look([calls("a", "shell", { command: "npm test -- --coverage --reporter=verbose" })], 12_000);
    look([calls("b", "read", { path: "/w/app/x" })], 60_000);
    look([settles("a")], 1000);
    look([settles("b"), { type: "approval-request", requestId: "p", subject: "webFetch", input: {} }], 1000);
    renderer.stopping();
    look([], 1000);
    expect(seen).toEqual([
      "⠋ 1s · starting",
      "⠋ 2s · waiting for the first word",
      "⠋ 3s · thinking",
      "⠋ 4s · waiting for the next word",
      "⠋ 16s · shell: npm test -…r=verbose 12s",
      "⠋ 1m 16s · shell 1m 12s (and 1 more)",
      "⠋ 1m 17s · read: x 1m 01s",
      "⠋ 1m 18s · waiting for an answer",
      "⠋ 1m 19s · stopping",
    ]);
    for (const line of seen) expect(displayWidth(line)).toBeLessThan(40);
  });

  it("is taken away before anything else is printed, and gone at the end", () => {
    const { renderer } = live();
    expect(renderer.push([started])).toBe(
      "· cli lane · gpt-5 · pool: Other Models · price unknown\n⠋ 0s · waiting for the first word",
    );
    expect(renderer.push([...says("Hi.")])).toBe("\r\x1b[2K\nHi.\n⠋ 0s · waiting for the next word");
    expect(renderer.push([completed])).toBe("\r\x1b[2K\n✓ completed in 0ms\n");
    expect(renderer.tick() + renderer.finish()).toBe("");
  });

  it("stands below a line that is not full yet, and leaves its place alone", () => {
    const { renderer } = live({ wraps: false });
    renderer.push([started]);
    const half: readonly AgentEvent[] = [
      { type: "text-start", blockId: "x" },
      { type: "text-delta", blockId: "x", text: "Half" },
    ];
    expect(renderer.push(half)).toBe("\r\x1b[2K\nHalf\x1bD\x1b[A\x1b7\r\n\x1b[2K⠋ 0s · writing\x1b8");
    expect(renderer.push([{ type: "text-delta", blockId: "x", text: " done" }])).toBe(
      "\x1b7\r\n\x1b[2K\x1b8 done\x1bD\x1b[A\x1b7\r\n\x1b[2K⠋ 0s · writing\x1b8",
    );
  });

  it("waits while the cursor stands behind the last column", () => {
    const { renderer } = live({ wraps: false });
    renderer.push([started, { type: "text-start", blockId: "x" }]);
    const says = (text: string) => renderer.push([{ type: "text-delta", blockId: "x", text }]);
    const full = "x".repeat(40);
    expect(says(full)).toBe(`\r\x1b[2K\n${full}`);
    expect(says("y")).toContain("writing");
    // Nineteen wide ones fit behind it; the twentieth goes to the next line and leaves one column empty.
    expect(says("日".repeat(19))).toContain("writing");
    expect(says(`日${"z".repeat(37)}`)).toContain("writing");
    expect(says("z")).not.toContain("writing");
  });

  it("is not written again while it stays the same", () => {
    const { renderer, wait } = live();
    renderer.push([started]);
    expect(renderer.tick()).toBe("");
    wait(100);
    expect(renderer.tick()).toBe("\r\x1b[2K⠙ 0s · waiting for the first word");
  });

  it("is never in a pipe", () => {
    const renderer = createTurnRenderer(pipe);
    expect(renderer.push([started]) + renderer.tick()).toBe(
      "· cli lane · gpt-5 · pool: Other Models · price unknown\n",
    );
  });
});
