import { CaretError } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../calls/tool-call.ts";
import { createLoopDetector, type GuardedOutcome, type LoopLimits } from "./loop-detector.ts";

type Step = readonly [ToolCall, GuardedOutcome];

const call = (name: string, input: ToolCall["input"] = {}): ToolCall => ({ name, input });
const ends = (
  outcomeClass: GuardedOutcome["class"],
  output = "",
  more: Partial<GuardedOutcome> = {},
): GuardedOutcome => ({
  class: outcomeClass,
  output,
  ...more,
});
const ok = (output: string, durationMs = 10) => ends("success", output, { durationMs });

/** The guard's reaction to each attempt: `.` proceed, W warned, B blocked, E ended. Stops where the turn ends. */
function play(steps: Iterable<Step>, limits?: Partial<LoopLimits>): string {
  const guard = createLoopDetector(limits);
  const letters = { proceed: ".", warn: "W", block: "B", end: "E" } as const;
  let said = "";
  for (const [made, outcome] of steps) {
    const before = guard.before(made);
    said += letters[before.kind === "proceed" ? guard.after(made, outcome).kind : before.kind];
    if (said.endsWith("E")) break;
  }
  return said;
}

const times = (count: number, step: (index: number) => Step | readonly Step[]): readonly Step[] =>
  Array.from({ length: count }, (_, index) => step(index)).flatMap((made) =>
    Array.isArray(made[0]) ? (made as readonly Step[]) : [made as Step],
  );
const again = (made: ToolCall, outcome: GuardedOutcome) => times(40, () => [made, outcome]);
const inTurn = (...steps: readonly Step[]) => times(100, () => steps);

const readGone: Step = [call("read", { path: "gone.ts" }), ends("not_found", "no such file")];
const staleEdit: Step = [call("edit", { path: "a.ts", old: "x", new: "y" }), ends("tool_error", "x does not occur")];
const readAgain: Step = [call("read", { path: "a.ts" }), ok("const a = 1")];
const status: Step = [call("bash", { command: "git status" }), ok("clean")];
const denied: Step = [call("write", { path: "/etc/motd" }), ends("permission", "outside the workspace")];
const invalid = (tool: string, input: ToolCall["input"], complaint: string): Step => [
  call(tool, input),
  ends("validation", `Invalid arguments: ${complaint}`, { schemaSignature: complaint }),
];

/** Thirty loops seen in the wild, with the guard's reaction to each attempt. */
const loops: readonly (readonly [string, readonly Step[], string])[] = [
  ["reads a file that is not there", again(...readGone), "..WBE"],
  ["edits by a text that is not in the file", again(...staleEdit), "..WBE"],
  ["writes where it may not", again(...denied), "..WBE"],
  ["runs a command that is not installed", again(call("bash", { command: "foo" }), ends("tool_error", "127")), "..WBE"],
  [
    "fetches a page that never answers",
    again(call("web_fetch", { url: "http://x" }), ends("timeout", "30 s")),
    "..WBE",
  ],
  ["fails without a word", again(call("mcp_thing"), ends("unknown")), "..WBE"],
  ["calls a tool that does not exist", again(call("launch"), ends("not_found", "no tool")), "..WBE"],
  ["leaves the same argument out", again(...invalid("bash", {}, "command is missing")), "..WBE"],
  ["fails slowly", again(call("bash", { command: "make" }), ends("tool_error", "2", { durationMs: 60_000 })), "..WBE"],
  ["asks for a rejected approval", again(call("bash", { command: "rm x" }), ends("permission", "rejected")), "..WBE"],
  ["deletes what is gone", again(call("delete", { path: "a" }), ends("not_found", "a")), "..WBE"],
  ["looks for a skill that is not there", again(call("skill", { name: "fly" }), ends("not_found", "fly")), "..WBE"],
  [
    "applies a patch that does not apply",
    again(call("apply_patch", { patch: "@@" }), ends("tool_error", "hunk")),
    "..WBE",
  ],
  ["reads the same file", again(...readAgain), ".....WBE"],
  ["lists the same directory", again(call("ls", { path: "." }), ok("a\nb")), ".....WBE"],
  ["looks at a clean tree", again(...status), ".....WBE"],
  ["writes the same list of todos", again(call("todowrite", { todos: [1] }), ok("saved")), ".....WBE"],
  ["greps in vain", again(call("grep", { pattern: "nope" }), ok("")), ".....WBE"],
  ["writes the same file", again(call("write", { path: "a", content: "b" }), ok("written")), ".....WBE"],
  ["prints the same words", again(call("bash", { command: "echo done" }), ok("done")), ".....WBE"],
  ["searches the web for the same", again(call("web_search", { query: "q" }), ok("hits")), ".....WBE"],
  ["sends the same task off", again(call("task", { prompt: "p" }), ok("done")), ".....WBE"],
  [
    "passes the same tests slowly",
    again(call("bash", { command: "npm test" }), ok("42 pass", 9_000)),
    `${".".repeat(29)}WBE`,
  ],
  [
    "writes its arguments in another order",
    times(9, (n) => [call("bash", n % 2 ? { a: 1, b: 2 } : { b: 2, a: 1 }), ends("tool_error", "1")]),
    "..WBE",
  ],
  ["edits, looks, and edits the same", inTurn(staleEdit, readAgain), `${".".repeat(59)}WB${".".repeat(60)}E`],
  ["goes round three failures", inTurn(readGone, staleEdit, denied), `${".".repeat(17)}WB${".".repeat(18)}E`],
  ["looks at two things in turn", inTurn(status, readAgain), `${".".repeat(59)}WB${".".repeat(60)}E`],
  ["guesses wrong arguments", times(20, (n) => invalid("edit", { guess: n }, "old is missing")), "..WBE"],
  ["guesses in two wrong ways", times(20, (n) => invalid("edit", { guess: n }, n % 2 ? "old" : "new")), "....WWBBE"],
  [
    "is refused on and on, each time for another reason",
    times(17, (n) => invalid("edit", { n }, `complaint ${n}`)),
    `${".".repeat(14)}WBE`,
  ],
  [
    "loops on after some progress",
    [...again(...readGone).slice(0, 3), [call("read", { path: "new" }), ok("x")], ...again(...readGone)],
    "..W....BE",
  ],
];

/** Turns that repeat themselves for a reason. */
const honest: readonly (readonly [string, readonly Step[]])[] = [
  ["reads many files", times(200, (n) => [call("read", { path: `${n}.ts` }), ok("same licence header")])],
  ["looks for a file in many places", times(50, (n) => [call("read", { path: `${n}/x` }), ends("not_found", "no")])],
  ["greps for many words in vain", times(50, (n) => [call("grep", { pattern: `w${n}` }), ok("")])],
  ["reads one file in pieces", times(50, (n) => [call("read", { path: "a", offset: n * 100 }), ok(`part ${n}`)])],
  ["lists many directories", times(50, (n) => [call("ls", { path: `d${n}` }), ok("")])],
  ["tries many ports", times(50, (n) => [call("bash", { command: `nc -z h ${n}` }), ends("tool_error", "1")])],
  [
    "tries many spellings of a command",
    times(20, (n) => [call("bash", { command: `tool${n}` }), ends("tool_error", "127")]),
  ],
  ["fetches many pages", times(50, (n) => [call("web_fetch", { url: `http://x/${n}` }), ok("page")])],
  ["edits many places", times(50, (n) => [call("edit", { path: "a", old: `${n}` }), ok("edited")])],
  ["writes many files", times(50, (n) => [call("write", { path: `${n}` }), ok("written")])],
  ["asks many things of one server", times(50, (n) => [call("mcp_query", { id: n }), ok("{}")])],
  ["sends many tasks off", times(20, (n) => [call("task", { prompt: `p${n}` }), ok("done")])],
  ["bisects", times(12, (n) => [call("bash", { command: `git checkout ${n} && make test` }), ends("tool_error", "1")])],
  ["writes a growing list of todos", times(30, (n) => [call("todowrite", { todos: n }), ok("saved")])],
  ["watches a build's log", times(100, (n) => [call("bash", { command: "tail log" }), ok(`line ${n}`)])],
  ["watches a counter", times(100, (n) => [call("bash", { command: "curl /jobs/1" }), ok(`${n} %`)])],
  ["watches a queue drain and fill", times(100, (n) => [call("bash", { command: "queue" }), ok(`${n % 3}`)])],
  [
    "waits for a failing service to change its mind",
    times(50, (n) => [call("bash", { command: "curl h" }), ends("tool_error", `503 ${n}`)]),
  ],
  ["alternates between two answers", times(50, (n) => [call("ping"), n % 2 ? ok("up") : ends("timeout", "down")])],
  [
    "waits for a slow pipeline that says pending",
    [
      ...times(29, () => [call("bash", { command: "ci wait" }), ok("pending", 30_000)] as Step),
      [call("bash", { command: "ci wait" }), ok("green", 30_000)],
    ],
  ],
  [
    "looks five times at what does not change yet",
    [...times(5, () => [call("ci"), ok("pending")] as Step), [call("ci"), ok("green")]],
  ],
  ["looks at the tree after every edit", times(30, (n) => [[call("edit", { n }), ok("edited")], status])],
  [
    "runs the tests after every edit, and they fail the same",
    times(30, (n) => [
      [call("edit", { n }), ok("edited")],
      [call("bash", { command: "npm test" }), ends("tool_error", "1 failed")],
    ]),
  ],
  [
    "looks at the tree among other looks that it has had before",
    times(25, () => [status, readAgain, [call("ls", { path: "." }), ok("a")]]),
  ],
  [
    "runs the same tests among other calls, and they fail the same",
    times(25, () => [[call("bash", { command: "npm test" }), ends("tool_error", "1 failed")], readAgain]),
  ],
  ["tries a failure again now and then, by the clock", times(20, (n) => [readGone, [call("date"), ok(`10:0${n}`)]])],
  ["reads the same file between other files", times(30, (n) => [[call("read", { path: `${n}` }), ok("x")], readAgain])],
  [
    "reads the same file that it edits",
    times(30, (n) => [
      [call("edit", { n }), ok("edited")],
      [call("read", { path: "a" }), ok(`${n}`)],
    ]),
  ],
  ["tries a failing call twice", [readGone, readGone, readAgain]],
  [
    "retries after it made what was missing",
    [readGone, readGone, [call("write", { path: "gone.ts" }), ok("written")], [readGone[0], ok("here")]],
  ],
  [
    "makes two mistakes in its arguments, then none",
    times(30, (n) => [
      invalid("edit", { n }, "old"),
      invalid("edit", { n: -n }, "old"),
      [call("edit", { n, old: "x" }), ok("edited")],
    ]),
  ],
  ["makes a different mistake each time, and then none", times(14, (n) => invalid("edit", { n }, `complaint ${n}`))],
  [
    "lets the same call fail in different ways",
    times(30, (n) => [
      call("deploy"),
      ends((["timeout", "permission", "tool_error"] as const)[n % 3] ?? "unknown", "no"),
    ]),
  ],
];

describe("a loop", () => {
  it("comes in many forms here, and honest turns in more", () => {
    expect({ loops: loops.length, honest: honest.length }).toEqual({ loops: 31, honest: 33 });
  });

  it.each(loops)("that %s is warned, blocked and ended at the stated attempts", (_what, steps, said) => {
    expect(play(steps)).toBe(said);
  });
});

describe("an honest turn", () => {
  it.each(honest)("that %s is left alone", (_what, steps) => {
    expect(play(steps)).toMatch(/^\.+$/);
  });
});

describe("what the guard says", () => {
  const notice = (message: string) => ({
    type: "notice",
    kind: "loop-warning",
    message,
    detail: { tool: "read", repeats: 3 },
  });

  it("is for the model first, and an error last", () => {
    const guard = createLoopDetector();
    const [made, outcome] = readGone;
    guard.after(made, outcome);
    guard.after(made, outcome);
    expect(guard.after(made, outcome)).toEqual({
      kind: "warn",
      text: "Caution: read was called 3 times in a row with the same arguments and the same result. Change the arguments or the approach; the same call again will not be made.",
      notice: notice("read was called 3 times in a row with the same arguments and the same result"),
    });
    expect(guard.before(made)).toEqual({
      kind: "block",
      text: "A call of read was not made, because it gave the same result 3 times in a row. Change the arguments or the approach, or say what stands in the way. Trying it once more ends the turn.",
      notice: notice("A call of read was not made, because it gave the same result 3 times in a row"),
    });
    const ended = guard.before(made);
    const error = ended.kind === "end" ? CaretError.from(ended.error).toInfo() : undefined;
    expect(error).toMatchObject({
      code: "loop-stopped",
      message: "The agent kept calling read with the same arguments after 3 equal results in a row and a refusal",
    });
  });

  it("follows the limits it was given", () => {
    const limits = { failures: 1, repeats: 2, waits: 3, waitingMs: 50, rounds: 4, schemaRefusals: 2 };
    expect([
      play(again(...readGone), limits),
      play(again(...readAgain), limits),
      play(again(call("wait"), ok("", 50)), limits),
      play(
        times(9, (n) => invalid("edit", { n }, "old")),
        { ...limits, failures: 9 },
      ),
      play(inTurn(status, readAgain), { ...limits, repeats: 9 }),
    ]).toEqual(["WBE", ".WBE", "..WBE", ".WBE", ".......WB........E"]);
  });

  it("is nothing where a limit is 0", () => {
    const off = { failures: 0, repeats: 0, waits: 0, rounds: 0, schemaRefusals: 0 };
    const turns = [
      again(...readGone),
      again(...readAgain),
      inTurn(status, readAgain),
      again(...invalid("edit", {}, "x")),
    ];
    expect(turns.map((steps) => /^\.+$/.test(play(steps, off)))).toEqual([true, true, true, true]);
  });

  it("counts calls that were made at once, before any of them had ended", () => {
    const guard = createLoopDetector();
    const [made, outcome] = readGone;
    const before = times(5, () => readGone).map(() => guard.before(made).kind);
    const after = times(5, () => readGone).map(() => guard.after(made, outcome).kind);
    expect([before, after]).toEqual([Array(5).fill("proceed"), ["proceed", "proceed", "warn", "proceed", "proceed"]]);
  });
});
