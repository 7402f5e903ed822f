import { CaretError } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { createPolicy, type PolicyOptions } from "./policy.ts";
import { type PolicyMode, policyModes } from "./policy-mode.ts";
import type { Effect, PolicyCall, PolicyRule } from "./policy-parts.ts";

const policyWith = (options: Partial<PolicyOptions>) =>
  createPolicy({
    mode: "supervised",
    rules: [],
    workspace: "/w",
    attended: true,
    newRequestId: () => "r1",
    ...options,
  });
const effectOf = (call: PolicyCall, options: Partial<PolicyOptions>) => policyWith(options).decide(call).effect;

const runs = (command: unknown, more: object = {}): PolicyCall => ({
  tool: "exec",
  kind: "shell",
  input: { command, ...more },
});
const reads = (path: string): PolicyCall => ({ tool: "read", kind: "read", input: { path } });
const edits = (path: string): PolicyCall => ({ tool: "edit", kind: "edit", input: { file_path: path } });
const writes = (path: string): PolicyCall => ({ tool: "write", kind: "write", input: { path, content: "x" } });
const fetches: PolicyCall = { tool: "web_fetch", kind: "fetch", input: { url: "https://example.com" } };
const asksServer = (server: string, tool = "search"): PolicyCall => ({ tool, kind: "mcp", server, input: { q: 1 } });

describe("the four words", () => {
  /** Expected effects in order: supervised, auto-edits, auto, full. */
  it.each<[string, PolicyCall, readonly Effect[]]>([
    ["reads a file", reads("a.ts"), ["allow", "allow", "allow", "allow"]],
    ["greps", { tool: "grep", kind: "search", input: { pattern: "x" } }, ["allow", "allow", "allow", "allow"]],
    ["writes its todos", { tool: "todo", kind: "todo", input: {} }, ["allow", "allow", "allow", "allow"]],
    ["edits a file", edits("src/a.ts"), ["ask", "allow", "allow", "allow"]],
    ["edits a file by its full name", edits("/w/a.ts"), ["ask", "allow", "allow", "allow"]],
    ["writes a file whose name begins with dots", writes("..a"), ["ask", "allow", "allow", "allow"]],
    ["edits a file outside", edits("/etc/passwd"), ["ask", "ask", "ask", "allow"]],
    ["edits a file beside the workspace", edits("/w2/a"), ["ask", "ask", "ask", "allow"]],
    ["climbs out", edits("src/../../x"), ["ask", "ask", "ask", "allow"]],
    ["edits a file at home", edits("~/.bashrc"), ["ask", "ask", "ask", "allow"]],
    ["writes to an address", writes("file:///etc/passwd"), ["ask", "ask", "ask", "allow"]],
    ["edits what git runs", writes(".git/hooks/pre-commit"), ["ask", "ask", "ask", "allow"]],
    ["edits what the agent runs", writes("sub/.cursor/hooks.json"), ["ask", "ask", "ask", "allow"]],
    [
      "edits without a path",
      { tool: "apply_patch", kind: "edit", input: { patch: "x" } },
      ["ask", "ask", "ask", "allow"],
    ],
    [
      "edits two files, one outside",
      { tool: "edit", kind: "edit", input: { edits: [{ path: "a" }, { path: "/b" }] } },
      ["ask", "ask", "ask", "allow"],
    ],
    ["runs the tests", runs("npm test"), ["ask", "ask", "allow", "allow"]],
    ["runs words without a shell", runs(["npm", "test"]), ["ask", "ask", "allow", "allow"]],
    ["removes", runs("ls && rm -rf b"), ["ask", "ask", "ask", "allow"]],
    ["removes behind a substitution", runs("echo $(rm a)"), ["ask", "ask", "ask", "allow"]],
    ["removes by its full name", runs("/usr/bin/rm a"), ["ask", "ask", "ask", "allow"]],
    ["pushes from elsewhere", runs("git -C x push"), ["ask", "ask", "ask", "allow"]],
    ["throws changes away", runs("git checkout HEAD -- src"), ["ask", "ask", "ask", "allow"]],
    ["throws all changes away", runs("git checkout ."), ["ask", "ask", "ask", "allow"]],
    ["throws a file's changes away", runs("git checkout HEAD src"), ["ask", "ask", "ask", "allow"]],
    ["throws a file's changes away", runs("git checkout a.ts"), ["ask", "ask", "ask", "allow"]],
    ["throws changes away", runs("git checkout-index -f -a"), ["ask", "ask", "ask", "allow"]],
    ["throws changes away", runs("git read-tree -u --reset HEAD"), ["ask", "ask", "ask", "allow"]],
    ["deletes a branch", runs("git branch --delete --force b"), ["ask", "ask", "ask", "allow"]],
    ["deletes a branch", runs("git branch -Dq b"), ["ask", "ask", "ask", "allow"]],
    ["makes a branch", runs("git checkout -b new origin/main"), ["ask", "ask", "allow", "allow"]],
    ["speaks for the user", runs("gh pr create --fill"), ["ask", "ask", "ask", "allow"]],
    ["speaks for the user", runs("gh issue comment 1 -b x"), ["ask", "ask", "ask", "allow"]],
    ["looks at a pull request", runs("gh pr view 1"), ["ask", "ask", "allow", "allow"]],
    ["changes the branch", runs("git checkout main"), ["ask", "ask", "allow", "allow"]],
    ["commits with a word about rm", runs("git commit -m 'Do not use rm'"), ["ask", "ask", "allow", "allow"]],
    ["does to git who knows what", runs("git $X"), ["ask", "ask", "ask", "allow"]],
    ["evaluates who knows what", runs('eval "$X"'), ["ask", "ask", "ask", "allow"]],
    ["runs no command", { tool: "exec", kind: "shell", input: {} }, ["ask", "ask", "ask", "allow"]],
    ["writes to a file of the workspace", runs("echo x > a"), ["ask", "ask", "allow", "allow"]],
    ["writes to a file outside", runs("echo x > /etc/a"), ["ask", "ask", "ask", "allow"]],
    ["writes from another directory", runs("echo x > a", { workdir: "/etc" }), ["ask", "ask", "ask", "allow"]],
    ["fetches a page", fetches, ["ask", "ask", "ask", "allow"]],
    ["asks a server", asksServer("docs"), ["ask", "ask", "ask", "allow"]],
  ])("decide about an agent that %s", (_what, call, effects) => {
    expect(policyModes.map((mode) => effectOf(call, { mode }))).toEqual(effects);
  });
});

describe("rules", () => {
  const decide = (call: PolicyCall, rules: readonly PolicyRule[], mode: PolicyMode = "supervised") =>
    effectOf(call, { rules, mode });

  it.each<[string, PolicyCall, readonly PolicyRule[], Effect]>([
    ["by tool", fetches, [{ effect: "allow", tool: "web_fetch" }], "allow"],
    ["by kind of tool", edits("a"), [{ effect: "deny", tool: "edit" }], "deny"],
    ["by a pattern of tools", fetches, [{ effect: "deny", tool: "web_*" }], "deny"],
    ["by server", asksServer("docs"), [{ effect: "allow", server: "docs" }], "allow"],
    [
      "by server and tool",
      asksServer("docs", "drop"),
      [
        { effect: "deny", server: "docs", tool: "drop" },
        { effect: "allow", server: "docs" },
      ],
      "deny",
    ],
    ["not by a server it has not", fetches, [{ effect: "deny", server: "*" }], "ask"],
    ["by path", reads(".env"), [{ effect: "deny", path: "**/.env*" }], "deny"],
    ["by a path written otherwise", reads("src/../.env"), [{ effect: "deny", path: ".env" }], "deny"],
    ["by a path in full", reads("/w/a/.env"), [{ effect: "deny", path: "/w/**/.env" }], "deny"],
    [
      "by a path that a command writes",
      runs("echo > .env"),
      [
        { effect: "allow", tool: "exec" },
        { effect: "deny", path: ".env" },
      ],
      "deny",
    ],
    ["by command", runs("npm test -- -u"), [{ effect: "allow", command: "npm test" }], "allow"],
    ["by a pattern of commands", runs("npm run lint"), [{ effect: "allow", command: "npm run *" }], "allow"],
    ["not by a command that only begins alike", runs("npm testify"), [{ effect: "allow", command: "npm test" }], "ask"],
    [
      "not by a program of the same name elsewhere",
      runs("./git status"),
      [{ effect: "allow", command: "git status" }],
      "ask",
    ],
    ["yet against a program of the same name elsewhere", runs("./rm x"), [{ effect: "deny", command: "rm" }], "deny"],
    ["not by a word that is computed", runs("git $X"), [{ effect: "allow", command: "git status" }], "ask"],
    [
      "yet against a word that is computed",
      runs("git $X"),
      [
        { effect: "allow", command: "git" },
        { effect: "deny", command: "git push" },
      ],
      "deny",
    ],
    [
      "by the worst command of the line",
      runs("git status; rm a"),
      [
        { effect: "allow", command: "git" },
        { effect: "deny", command: "rm" },
      ],
      "deny",
    ],
    ["by the command no rule is about", runs("git status; make"), [{ effect: "allow", command: "git" }], "ask"],
    [
      "by the command that another starts",
      runs("ls | xargs sh -c 'rm a'"),
      [
        { effect: "allow", tool: "exec" },
        { effect: "deny", command: "rm" },
      ],
      "deny",
    ],
    [
      "by what a server's tool runs",
      { tool: "run", kind: "mcp", server: "s", input: { cmd: "rm a" } },
      [
        { effect: "allow", server: "s" },
        { effect: "deny", command: "rm" },
      ],
      "deny",
    ],
    ["by everything", fetches, [{ effect: "deny" }], "deny"],
  ])("fit %s", (_what, call, rules, effect) => {
    expect(decide(call, rules)).toBe(effect);
  });

  it.each<[string, readonly PolicyRule[], Effect]>([
    [
      "the longer command",
      [
        { effect: "deny", command: "git" },
        { effect: "allow", command: "git push" },
      ],
      "allow",
    ],
    [
      "the longer command, however much else is said",
      [
        { effect: "allow", tool: "exec", command: "git" },
        { effect: "deny", command: "git push" },
      ],
      "deny",
    ],
    [
      "the command rather than the tool",
      [
        { effect: "deny", tool: "exec" },
        { effect: "allow", command: "git" },
      ],
      "allow",
    ],
    [
      "the name rather than the pattern",
      [
        { effect: "deny", command: "gi*" },
        { effect: "allow", command: "git" },
      ],
      "allow",
    ],
    [
      "deny on a tie",
      [
        { effect: "allow", command: "git" },
        { effect: "ask", command: "git" },
        { effect: "deny", command: "git" },
      ],
      "deny",
    ],
    [
      "ask rather than allow on a tie",
      [
        { effect: "ask", command: "git" },
        { effect: "allow", command: "git" },
      ],
      "ask",
    ],
  ])("are decided by %s, in whatever order they stand", (_what, rules, effect) => {
    const call = runs("git push");
    expect([decide(call, rules), decide(call, rules.toReversed())]).toEqual([effect, effect]);
  });

  it("come before the mode", () => {
    expect([
      decide(runs("git push"), [{ effect: "allow", command: "git push" }], "auto"),
      decide(reads("a"), [{ effect: "ask", tool: "read" }], "full"),
    ]).toEqual(["allow", "ask"]);
  });

  it("about a command are not evaded, even in full, by a line that nobody can judge", () => {
    const rules: readonly PolicyRule[] = [{ effect: "deny", command: "rm" }];
    expect([
      decide(runs("eval $X"), rules, "full"),
      decide(runs("eval $X"), [{ effect: "allow", tool: "exec" }, ...rules]),
      decide(runs("eval $X"), [
        { effect: "allow", command: "eval" },
        { effect: "allow", command: "*" },
      ]),
    ]).toEqual(["ask", "ask", "ask"]);
  });

  it("cannot ask for a command and a path at once", () => {
    const create = () => policyWith({ rules: [{ effect: "deny", command: "rm", path: "a" }] });
    expect(create).toThrow(CaretError);
  });
});

describe("a decision", () => {
  const danger = "`rm` deletes or destroys data";
  const call: PolicyCall = { ...runs("rm a"), callId: "c1" };
  const request = {
    type: "approval-request",
    requestId: "r1",
    callId: "c1",
    subject: "exec",
    input: { command: "rm a" },
  };
  const answer = (decision: string, reason: string) => ({
    type: "approval-answer",
    requestId: "r1",
    decision,
    by: "policy",
    reason,
  });

  it("is recorded as a request and its answer, with the reason", () => {
    const reason = "a rule says so: allow tool `exec`";
    expect(policyWith({ rules: [{ effect: "allow", tool: "exec" }] }).decide(call)).toEqual({
      effect: "allow",
      reason,
      danger,
      asked: expect.any(Array),
      judgedPaths: [""],
      request,
      events: [request, answer("approved", reason)],
    });
  });

  it("is left open when a person can be asked", () => {
    expect(policyWith({ mode: "auto" }).decide(call)).toEqual({
      effect: "ask",
      reason: danger,
      danger,
      asked: expect.any(Array),
      judgedPaths: [""],
      request,
      events: [request],
    });
  });

  it("is a denial that explains itself when nobody can be asked", () => {
    const reason = `Denied, because no person can be asked: ${danger}`;
    expect(policyWith({ mode: "auto", attended: false }).decide(call)).toEqual({
      effect: "deny",
      reason,
      danger,
      asked: expect.any(Array),
      judgedPaths: [""],
      request,
      events: [request, answer("rejected", reason)],
    });
  });

  it("names the rule that denied", () => {
    const reason = "a rule says so: deny command `rm`";
    expect(policyWith({ mode: "full", rules: [{ effect: "deny", command: "rm" }] }).decide(call).reason).toBe(reason);
  });
});

describe("a turn that only reads", () => {
  it.each<[string, PolicyCall, Effect]>([
    ["reads", reads("a.ts"), "allow"],
    ["is denied an edit, although `auto` and a rule allow it", edits("src/a.ts"), "deny"],
    ["is denied a command that writes a file", runs("echo x > a.txt"), "deny"],
    ["asks about a command that `auto` would run", runs("git log"), "ask"],
    ["runs a command that a rule allows", runs("npm test"), "allow"],
    ["asks about a server, as ever", asksServer("tickets"), "ask"],
  ])("%s", (_what, call, effect) => {
    const rules: readonly PolicyRule[] = [
      { effect: "allow", tool: "edit" },
      { effect: "allow", command: "npm test" },
    ];
    expect(effectOf(call, { mode: "auto", rules, readsOnly: "plan" })).toBe(effect);
  });

  it("says why to the agent", () => {
    expect(policyWith({ mode: "auto", readsOnly: "ask" }).decide(edits("a.ts")).reason).toBe(
      "the turn is in `ask` mode, which only reads",
    );
  });
});
