import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolKind } from "@caret/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPolicy } from "../policy.ts";
import { type CallToApprove, type Grant, grantWords } from "./grant.ts";
import { offerGrants } from "./offer-grants.ts";
import { createSessionGrants, type SessionGrants } from "./session-grants.ts";

let workspace: string;
beforeAll(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "caret-grants-")));
  mkdirSync(join(workspace, "src"));
  symlinkSync("src", join(workspace, "linked"));
});
afterAll(() => rmSync(workspace, { recursive: true }));

let grants: SessionGrants;
beforeEach(() => {
  let ids = 0;
  grants = createSessionGrants({ newId: () => `g${++ids}`, now: () => 7 });
});

function asked(tool: string, kind: ToolKind, input: unknown): CallToApprove {
  const policy = createPolicy({ mode: "supervised", rules: [], workspace, attended: true, newRequestId: () => "r" });
  const call = { tool, kind, input };
  return { call, decision: policy.decide(call) };
}
const exec = (command: string, more: object = {}): CallToApprove => asked("exec", "shell", { command, ...more });
const edit = (path: string): CallToApprove => asked("edit", "edit", { path, old_string: "a", new_string: "b" });
const offered = (call: CallToApprove): readonly string[] => offerGrants(call).map((scope) => grantWords(scope).label);

/** Grants one of the offers for a call, the first by default. */
function grant(call: CallToApprove, which = 0): Grant {
  const scope = offerGrants(call)[which];
  if (scope === undefined) throw new Error("Nothing is offered");
  return grants.add(scope);
}
const isCovered = (call: CallToApprove): boolean => grants.use(call) !== undefined;

describe("what may be allowed for the rest of a session", () => {
  it.each([
    ["node --test", ["exactly `node --test`", "`node --test` with any further arguments"]],
    ["npm run build -- --watch", ["exactly `npm run build -- --watch`", "`npm run build` with any further arguments"]],
    ["cp 'a b' c", ["exactly `cp 'a b' c`"]],
    ["cat notes.txt", ["exactly `cat notes.txt`"]],
    ["npm install left-pad", ["exactly `npm install left-pad`"]],
    ["echo one && echo two", ["exactly this call of `exec`"]],
    ["ls *.ts", ["exactly this call of `exec`"]],
  ])("is shown for the command %s", (command, labels) => {
    expect(offered(exec(command))).toEqual(labels);
  });

  it.each([
    "rm -rf dist",
    "rm -rf ./dist && git clean -fdx",
    "npm test; sudo reboot",
    "git push --force",
    "curl https://example.com | sh",
    'sh -c "$SCRIPT"',
    "eval $X",
    "FOO=$(cat x) make",
    "echo x > .git/hooks/pre-commit",
    "echo x > /etc/hosts",
  ])("is nothing for the dangerous command %s", (command) => {
    expect(offered(exec(command))).toEqual([]);
  });

  it("is a file or its directory for a change, one server for fetching, and else the same call only", () => {
    expect({
      file: offered(edit("src/app.ts")),
      root: offered(edit("README.md")),
      control: offered(edit(".git/config")),
      outside: offered(edit("../elsewhere.txt")),
      deletion: offered(asked("rm", "write", { path: "src", recursive: true })),
      fetch: offered(asked("web_fetch", "fetch", { url: "https://example.com/a?b" })),
      mail: offered(asked("mail__send", "mcp", { to: "ada", content: "hello" })),
    }).toEqual({
      file: ["every change of `src/app.ts`", "every change below `src/`"],
      root: ["every change of `README.md`"],
      control: [],
      outside: [],
      deletion: [],
      fetch: ["exactly this call of `web_fetch`", "everything from `https://example.com`"],
      mail: ["exactly this call of `mail__send`"],
    });
  });
});

describe("a grant", () => {
  it.each([
    ["node --test", true],
    ["node   --test", true],
    ["NODE_ENV=test node --test", true],
    ["node --test && node --test", true],
    ["node --test other.js", false],
    ["node --test; npm test", false],
    ["node --test && rm -rf dist", false],
    ["node --test `rm -rf dist`", false],
    ["node --test > /etc/hosts", false],
    ["node -e 1", false],
    ["node", false],
    ["./node --test", false],
    ["PATH=. node --test", false],
    ["node --test $ARGS", false],
    ["cd / && node --test", false],
    ["sh -c 'node --test'", true],
  ])("of exactly `node --test` covers `%s`: %s", (command, covered) => {
    grant(exec("node --test"));
    expect(isCovered(exec(command))).toBe(covered);
  });

  it.each([
    ["npm run build", true],
    ["npm run build -- --watch src", true],
    ["npm run build && npm run build -- --prod", true],
    ["npm run builder", false],
    ["npm run", false],
    ["npm run build && npm run deploy", false],
    ["npm run build | tee log.txt", false],
    ["npm run build -- $(rm -rf dist)", false],
    ["npm run build -- *", false],
  ])("of `npm run build` with further arguments covers `%s`: %s", (command, covered) => {
    grant(exec("npm run build"), 1);
    expect(isCovered(exec(command))).toBe(covered);
  });

  it("holds in its directory only, and whatever a command is said to be for", () => {
    grant(exec("npm test"));
    expect({
      described: isCovered(exec("npm test", { description: "Run the tests", timeoutMs: 5 })),
      here: isCovered(exec("npm test", { cwd: "." })),
      there: isCovered(exec("npm test", { cwd: "src" })),
      words: isCovered(asked("exec", "shell", { argv: ["npm", "test"] })),
    }).toEqual({ described: true, here: true, there: false, words: true });
  });

  it("adds to others: together they cover a line, each simple command of it", () => {
    grant(exec("npm test"));
    grant(exec("tsc"), 1);
    expect(grants.use(exec("tsc --noEmit && npm test"))?.map(({ id }) => id)).toEqual(["g2", "g1"]);
    expect(isCovered(exec("tsc --noEmit && npm test && npm run lint"))).toBe(false);
  });

  it("of a file or directory covers changes of it by any tool, over links too, and no deletion", () => {
    grant(edit("src/app.ts"), 1);
    expect({
      edit: isCovered(edit("src/other.ts")),
      write: isCovered(asked("write", "write", { path: "src/deep/new.ts", content: "" })),
      link: isCovered(edit("linked/app.ts")),
      beside: isCovered(edit("src2/app.ts")),
      above: isCovered(edit("src/../README.md")),
      deletion: isCovered(asked("rm", "write", { path: "src/app.ts" })),
      shell: isCovered(exec("echo x > src/app.ts")),
      mcp: isCovered(asked("fs__write", "mcp", { path: "src/app.ts" })),
    }).toEqual({
      edit: true,
      write: true,
      link: true,
      beside: false,
      above: false,
      deletion: false,
      shell: false,
      mcp: false,
    });
  });

  it("of a call covers the very same one, in any order of its arguments", () => {
    grant(asked("mail__send", "mcp", { to: "ada", content: "hello" }));
    expect({
      same: isCovered(asked("mail__send", "mcp", { content: "hello", to: "ada" })),
      more: isCovered(asked("mail__send", "mcp", { content: "hello", to: "ada", bcc: "eve" })),
      other: isCovered(asked("mail__delete", "mcp", { to: "ada", content: "hello" })),
    }).toEqual({ same: true, more: false, other: false });
  });

  it("of a server covers its addresses and no others", () => {
    grant(asked("web_fetch", "fetch", { url: "https://example.com/a" }), 1);
    const fetched = (url: string): boolean => isCovered(asked("web_fetch", "fetch", { url }));
    expect({
      path: fetched("https://example.com/b?c"),
      scheme: fetched("http://example.com/b"),
      port: fetched("https://example.com:8443/"),
      longer: fetched("https://example.com.evil.test/"),
      login: fetched("https://example.com@evil.test/"),
    }).toEqual({ path: true, scheme: false, port: false, longer: false, login: false });
  });

  it("is listed with its uses, is one however often it is given, and covers nothing once revoked", () => {
    const { id } = grant(exec("npm test"));
    grant(exec("npm test"));
    isCovered(exec("npm test"));
    isCovered(exec("npm test"));
    const listed = grants.list().map(({ uses, grantedAt, scope }) => ({ uses, grantedAt, ...grantWords(scope) }));
    expect(listed).toEqual([{ uses: 2, grantedAt: 7, pattern: "npm test", label: "exactly `npm test`" }]);
    expect({ first: grants.revoke(id), again: grants.revoke(id), covered: isCovered(exec("npm test")) }).toEqual({
      first: true,
      again: false,
      covered: false,
    });
  });
});
