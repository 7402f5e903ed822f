import { closeSync, openSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { delta, init, result } from "./agent-lines.ts";
import { type Fault, prints } from "./fault.ts";

const answers = prints(init, delta("Hello."), result("Hello."));
/** Keeps what came on standard input, then answers. */
const keepsPrompt = `cat > "$PWD.prompt"\n${answers}`;

const literalPrompts = [
  "-",
  "--force",
  "--",
  "-p --model x",
  "@package.json",
  '"quoted" $HOME `id`',
  "two\nlines",
  "é😀",
];

/** Table A of the catalogue: the agent does not start, or not as it should. */
export const startFaults: readonly Fault[] = [
  {
    id: "P-01",
    sentence: "a program that is not there is named, and not tried again",
    settings: { cli: { command: "/nowhere/agent" } },
    ends: "cli-missing",
    check: ({ outcome, events }) => {
      expect(JSON.stringify(outcome)).toContain("/nowhere/agent");
      expect(events.filter(({ type }) => type === "notice")).toEqual([]);
    },
  },
  {
    id: "P-02",
    sentence: "a workspace that is gone is not mistaken for a program that is missing",
    prepare: ({ workspace }) => {
      rmSync(workspace, { recursive: true });
      return undefined;
    },
    ends: "workspace-missing",
    refused: true,
  },
  {
    id: "P-03",
    sentence: "a program that may not be executed is distinguished from one that is missing",
    settings: (bench) => ({ cli: { command: bench.program(join(bench.directory, "plain-file"), answers, 0o644) } }),
    ends: "cli-not-executable",
  },
  {
    id: "P-04",
    sentence: "a prompt too long for an argument goes to standard input instead",
    agent: keepsPrompt,
    settings: { cli: { promptAsArg: true, maxArgBytes: 10_000_000 } },
    request: { prompt: "x".repeat(200_000) },
    ends: "completed",
    text: "Hello.",
    check: (_, { workspace }) => expect(readFileSync(`${workspace}.prompt`).length).toBe(200_000),
  },
  {
    id: "P-05",
    sentence: "a program that is just being replaced is tried again",
    agent: answers,
    prepare({ bench }) {
      const file = openSync(bench.agentPath, "r+");
      const timer = setTimeout(() => closeSync(file), 60);
      return () => clearTimeout(timer);
    },
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "P-06",
    sentence: "a path through a file is a missing program",
    settings: (bench) => ({ cli: { command: join(bench.agentPath, "agent") } }),
    ends: "cli-missing",
  },
  {
    id: "P-06",
    sentence: "a link that leads to itself is a missing program",
    settings: (bench) => {
      const link = join(bench.directory, "loop");
      symlinkSync(link, link);
      return { cli: { command: link } };
    },
    ends: "cli-missing",
  },
  {
    id: "P-10",
    sentence: "a file that is no program is a broken one",
    settings: (bench) => ({
      cli: { command: bench.program(join(bench.directory, "junk"), new Uint8Array([0x7f, 0x45, 0x4c, 0x00, 1, 2, 3])) },
    }),
    ends: "cli-broken",
  },
  {
    id: "P-11",
    sentence: "a NUL in the prompt is refused before anything starts",
    request: { prompt: "a\0b" },
    ends: "invalid-request",
    refused: true,
  },
  ...literalPrompts.map(
    (prompt): Fault => ({
      id: "P-12",
      sentence: `the prompt ${JSON.stringify(prompt)} is sent as it is on standard input`,
      agent: keepsPrompt,
      request: { prompt },
      ends: "completed",
      check: (_, { workspace }) => expect(readFileSync(`${workspace}.prompt`, "utf8")).toBe(prompt),
    }),
  ),
  ...literalPrompts.map(
    (prompt): Fault => ({
      id: "P-12",
      sentence: `the prompt ${JSON.stringify(prompt)} is sent as it is after --`,
      agent: `for last; do [ "$last" = "--" ] && dashes=yes; done\nprintf %s "$dashes$last" > "$PWD.prompt"\n${answers}`,
      settings: { cli: { promptAsArg: true } },
      request: { prompt },
      ends: "completed",
      check: (_, { workspace }) => expect(readFileSync(`${workspace}.prompt`, "utf8")).toBe(`yes${prompt}`),
    }),
  ),
  {
    id: "P-15",
    sentence: "an agent that lost the race for the shared configuration file is tried again",
    agent: `if [ ! -f "$PWD.tried" ]; then touch "$PWD.tried"
echo "Error: ENOENT: no such file or directory, rename '/home/x/.cursor/cli-config.json.tmp'" >&2; exit 1; fi\n${answers}`,
    ends: "completed",
    text: "Hello.",
    check: ({ summary }) => expect(summary.notices.map(({ kind }) => kind)).toEqual(["retry"]),
  },
  {
    id: "P-16",
    sentence: "another program of the same name ends the turn without a result, its words kept",
    agent: "echo 'SSH_AUTH_SOCK=/tmp/ssh-1/agent.1; export SSH_AUTH_SOCK;'\n",
    ends: "no-result",
    check: ({ events }) => expect(JSON.stringify(events)).toContain("SSH_AUTH_SOCK"),
  },
  {
    id: "P-13",
    sentence: "the version that ran is recorded with the turn",
    agent: answers,
    ends: "completed",
    check: ({ events }, { bench }) => {
      const versions = events.flatMap((event) => (event.type === "session-ready" ? [event.version] : []));
      expect(versions).toEqual([bench.agentPath.split("/").at(-2)]);
    },
  },
];
