import { existsSync } from "node:fs";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import { expect } from "vitest";
import { delta, init, readStarts, result } from "./agent-lines.ts";
import { type Fault, hangs, marks, prints } from "./fault.ts";

const hello = prints(init, delta("Hello."), result("Hello."));
const says = (text: string) => prints(init, delta(text));
const complains = (words: string, code = 1) => `cat >&2 <<'WORDS'\n${words}\nWORDS\nexit ${code}\n`;
const impatient = { clocks: { firstEventMs: 400, idleMs: 400, toolMs: 900 } };
const secret = "canary-6bff2a9d1c7e45";

/** Table B of the catalogue, what concerns exits, silence, standard input and stopping. */
export const exitFaults: readonly Fault[] = [
  { id: "O-01", sentence: "an exit in peace without a word is no success", agent: "exit 0\n", ends: "no-result" },
  { id: "O-02", sentence: "an exit with 1 without a word is a crash", agent: "exit 1\n", ends: "agent-crashed" },
  {
    id: "O-03",
    sentence: "an agent that never begins is given up by the first clock",
    agent: hangs,
    settings: impatient,
    ends: "stalled",
    check: ({ outcome }) => expect(JSON.stringify(outcome)).toContain("firstEventMs"),
  },
  {
    id: "O-04",
    sentence: "an agent that falls silent is given up by the idle clock",
    agent: says("Hm.") + hangs,
    settings: impatient,
    ends: "stalled",
    text: "Hm.",
    check: ({ outcome }) => expect(JSON.stringify(outcome)).toContain("idleMs"),
  },
  {
    id: "O-04",
    sentence: "while a tool works its own clock runs, not the idle one",
    agent: prints(init, readStarts("call-1")) + hangs,
    settings: impatient,
    ends: "stalled",
    check: ({ outcome, elapsedMs }) => {
      expect(JSON.stringify(outcome)).toContain("toolMs");
      expect(elapsedMs).toBeGreaterThan(850);
    },
  },
  {
    id: "O-05",
    sentence: "an agent that hangs after its result has completed, at once, and is then ended",
    agent: hello + hangs,
    settings: { clocks: { graceMs: 1_500 } },
    meanwhile: async (turn, { bench, workspace }) => {
      await turn.outcome;
      expect(bench.processes(workspace).length).toBeGreaterThan(0);
    },
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "O-06",
    sentence: "an exit with 1 after a result is still completed",
    agent: `${hello}exit 1\n`,
    ends: "completed",
  },
  {
    id: "O-07",
    sentence: "text without a result is no success, and stays",
    agent: says("Hm."),
    ends: "no-result",
    text: "Hm.",
  },
  {
    id: "O-33",
    sentence: "an agent that closes its output and lives on is ended",
    agent: `${says("Hm.")}exec >&-\nsleep 600\n`,
    ends: "no-result",
    text: "Hm.",
    withinMs: 6_000,
  },
  {
    id: "O-33",
    sentence: "an agent that closes its output after the result has completed",
    agent: `${hello}exec >&-\nsleep 600\n`,
    ends: "completed",
    withinMs: 6_000,
  },
  {
    id: "O-34",
    sentence: "a grandchild that holds the pipe holds up nobody and is ended",
    agent: `sleep 600 &\n${hello}`,
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "O-34",
    sentence: "a grandchild that holds the pipe of an agent without a result does not hide its end",
    agent: `sleep 600 &\n${says("Hm.")}`,
    ends: "no-result",
    text: "Hm.",
  },
  {
    id: "O-34",
    sentence: "a grandchild in a session of its own is found and ended",
    agent: `setsid sleep 600 &\nsetsid sh -c 'trap "" TERM; sleep 600' &\n${hello}`,
    ends: "completed",
  },
  {
    id: "O-35",
    sentence: "what is still in the pipe at the exit is read",
    agent: `${prints(init)}( sleep 0.1\n${prints(delta("Late."), result("Late."))}) &\nexit 0\n`,
    ends: "completed",
    text: "Late.",
  },
  {
    id: "O-36",
    sentence: "a flood on standard error blocks nothing, and its end is kept",
    agent: `yes 'noise noise noise' | head -c 50000000 >&2\n${says("Hm.")}${complains("ActionRequiredError: OUTDATED_CLIENT")}`,
    ends: "cli-outdated",
    withinMs: 15_000,
  },
  {
    id: "O-37",
    sentence: "JSON on standard error is never an event",
    agent: `{ ${prints(delta("Not me."), result("Not me.", { is_error: true })).replace(/\n$/, "\n} >&2\n")}${hello}`,
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "O-38",
    sentence: "an agent that closes its input unread can still answer",
    agent: `exec <&-\n${hello}`,
    request: { prompt: "x".repeat(3_000_000) },
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "O-39",
    sentence: "an agent that never reads its input is given up by the first clock",
    agent: hangs,
    settings: impatient,
    request: { prompt: "x".repeat(3_000_000) },
    ends: "stalled",
  },
  {
    id: "O-40",
    sentence: "an agent that reads its input to the end gets one",
    agent: `cat > /dev/null\n${hello}`,
    ends: "completed",
  },
  {
    id: "O-40",
    sentence: "an agent with its prompt as an argument finds its input closed",
    agent: `cat > /dev/null\n${hello}`,
    settings: { cli: { promptAsArg: true } },
    ends: "completed",
  },
  {
    id: "O-41",
    sentence: "an agent that ignores SIGTERM is killed",
    agent: `trap '' TERM\n${says("Hm.")}${marks("up")}while :; do sleep 0.1; done\n`,
    meanwhile: async (turn, { workspace }) => {
      await eventually(() => existsSync(`${workspace}.up`), "the agent is up");
      turn.cancel();
    },
    ends: "cancelled",
  },
  {
    id: "O-42",
    sentence: "death by SIGSEGV is a crash",
    agent: `${says("Hm.")}kill -SEGV $$\n`,
    ends: "agent-crashed",
  },
  {
    id: "O-42",
    sentence: "death by SIGABRT is a crash",
    agent: `${says("Hm.")}kill -ABRT $$\n`,
    ends: "agent-crashed",
  },
  {
    id: "O-42",
    sentence: "death by SIGKILL came from outside",
    agent: `${says("Hm.")}kill -KILL $$\n`,
    ends: "killed",
  },
  {
    id: "O-43",
    sentence: "an agent that was stopped is given up and killed all the same",
    agent: `${says("Hm.")}kill -STOP $$\nsleep 600\n`,
    settings: impatient,
    ends: "stalled",
  },
  {
    id: "O-46",
    sentence: "a key that the agent prints is redacted",
    agent: `${says("The key is ")}${prints(delta(`${secret}.`), result(""))}`,
    settings: { cli: { env: { CURSOR_API_KEY: secret } } },
    ends: "completed",
    text: "The key is [redacted].",
  },
  {
    id: "O-47",
    sentence: "an agent that asks to trust the workspace names the path",
    agent: complains(
      "\n⚠ Workspace Trust Required\n\n  Do you trust the contents of this directory?\n\n    /work/demo\n\n  To proceed, you can either:",
    ),
    ends: "workspace-untrusted",
    check: ({ outcome }) => expect(JSON.stringify(outcome)).toContain("/work/demo"),
  },
  {
    id: "O-48",
    sentence: "a refused login is not tried again",
    agent: `echo once >> "$PWD.tries"\n${complains("Error: Authentication required. Please run 'agent login' first.")}`,
    ends: "not-logged-in",
    check: ({ events }) => expect(events.filter(({ type }) => type === "notice")).toEqual([]),
  },
  {
    id: "O-49",
    sentence: "too many requests are a rate limit",
    agent: complains("RATE_LIMITED_TOO_MANY_REQUESTS"),
    ends: "rate-limited",
  },
  {
    id: "O-49",
    sentence: "a used-up plan is a usage limit",
    agent: complains("You've hit your usage limit."),
    ends: "usage-limit",
  },
  {
    id: "O-49",
    sentence: "a lack of capacity is neither",
    agent: complains("Error: T: [unavailable] x"),
    ends: "upstream-unreachable",
  },
  {
    id: "O-50",
    sentence: "a chat store that cannot be read is named",
    agent: complains("SqliteError: database disk image is malformed"),
    ends: "session-corrupt",
  },
  {
    id: "O-50",
    sentence: "a chat store that another agent holds is named",
    agent: complains("SqliteError: database is locked"),
    ends: "session-busy",
  },
  {
    id: "O-51",
    sentence: "a second turn of a running session is refused, and the first goes on",
    agent: `${prints(init)}${marks("up")}until [ -f "$PWD.go" ]; do sleep 0.02; done\n${prints(delta("Hello."), result("Hello."))}`,
    meanwhile: async ({ sessionId }, { engine, bench, workspace }) => {
      await eventually(() => existsSync(`${workspace}.up`), "the agent is up");
      const second = engine.startTurn({ sessionId, prompt: "And?" });
      await expect(second).rejects.toMatchObject({ code: "session-busy" });
      bench.program(`${workspace}.go`, "");
    },
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "O-53",
    sentence: "a turn that is cancelled while its agent starts leaves nobody behind",
    // Without a result: an agent that is quick to start must not complete its turn before it is cancelled.
    agent: prints(init) + hangs,
    meanwhile: (turn) => turn.cancel(),
    ends: "cancelled",
  },
];
