import { CaretError, errorCatalogue } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { type CliFailure, classifyFailure, isRecoverable } from "./classify-failure.ts";

function failureOf(stderr: string, rest: Partial<CliFailure> = {}): CliFailure {
  return { stderr, exitCode: 1, signal: null, stdoutEmpty: true, commandName: "agent", platform: "linux", ...rest };
}

/** The error without the given words. */
function errorOf(stderr: string, rest: Partial<CliFailure> = {}) {
  const { code, message, fix, retryable } = classifyFailure(failureOf(stderr, rest)).toInfo();
  return { code, message, fix, retryable };
}

const login = "Run `agent login`, or set CURSOR_API_KEY to a valid key.";

describe("what the CLI says about itself", () => {
  it.each([
    [
      "Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.",
      login,
    ],
    ["Error: Authentication required. Run 'agent login', pass --api-key/--auth-token, or …", login],
    ["ConnectError: [unauthenticated] token expired", login],
    ["AUTH_TOKEN_EXPIRED", login],
  ])("means nobody is logged in: %s", (stderr, fix) => {
    expect(errorOf(stderr)).toEqual({
      code: "not-logged-in",
      message: "The agent is not logged in",
      fix,
      retryable: false,
    });
  });

  it("names the command the person has, and the keychain where there is one", () => {
    const stderr = "Error: Authentication required. Please run 'cursor-agent login' first.";
    expect(errorOf(stderr, { commandName: "cursor-agent", platform: "darwin" }).fix).toBe(
      "Run `cursor-agent login`, or set CURSOR_API_KEY to a valid key. With another HOME than your own, set AGENT_CLI_CREDENTIAL_STORE=file first.",
    );
    expect(errorOf("security: the item could not be found in the keychain.")).toMatchObject({
      code: "not-logged-in",
      fix: "Unlock the keychain, or set AGENT_CLI_CREDENTIAL_STORE=file and run `agent login` again.",
    });
  });

  it("means a wrong key, through the colours", () => {
    const stderr = "\x1b[33m⚠ Warning: The provided API key is invalid.\x1b[0m\nPlease check you have the right key.\n";
    const error = classifyFailure(failureOf(stderr));
    expect([error.code, error.upstream]).toEqual([
      "bad-key",
      "⚠ Warning: The provided API key is invalid.\nPlease check you have the right key.",
    ]);
  });

  it("means an unknown model, and the list in the text gives the fix", () => {
    expect(
      errorOf("Cannot use this model: swift-2.5-hi. Available models: auto, swift-2.5-high, swift-2.5-low\nbye\n"),
    ).toEqual({
      code: "model-unknown",
      message: 'Cursor has no model "swift-2.5-hi" for this account',
      fix: "Did you mean `swift-2.5-high` or `swift-2.5-low`? Available: auto, swift-2.5-high, swift-2.5-low.",
      retryable: false,
    });
  });

  it("names the models once: the upstream's own list is left out", () => {
    const stderr = "Cannot use this model: swift-2. Available models: auto, swift-2.5-high\nbye\n";
    expect(classifyFailure(failureOf(stderr)).upstream).toBe("Cannot use this model: swift-2.\nbye");
  });

  it("does not print two hundred models, and needs no list at all", () => {
    const names = Array.from({ length: 200 }, (_, index) => `m${index}`);
    expect(errorOf(`Cannot use this model: zebra-9. Available models: ${names.join(", ")}`).fix).toBe(
      "Available: m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11 and 188 more.",
    );
    expect(errorOf("Cannot use this model: gpt-9.")).toMatchObject({
      message: 'Cursor has no model "gpt-9" for this account',
      fix: errorCatalogue["model-unknown"].fix,
    });
  });

  it("means a usage limit, with the model and the day it ends", () => {
    const stderr =
      "ActionRequiredError: You've hit your usage limit for Opus 4.7 You've saved $12 this month. Switch to a different model or set a Spend Limit. Your usage limits will reset when your monthly cycle ends on 3/9/2027.";
    expect(errorOf(stderr)).toEqual({
      code: "usage-limit",
      message: "The account's usage limit for Opus 4.7 is reached",
      fix: "Switch to another model, raise the spend limit, or wait for the reset (2027-03-09).",
      retryable: false,
    });
    expect(errorOf("You've hit your usage limit. Get Cursor Pro for more Agent usage").message).toBe(
      "The account's usage limit is reached",
    );
  });

  it("means a workspace nobody has trusted, and says which", () => {
    const stderr =
      "\n⚠ Workspace Trust Required\n\n  The agent can run code here.\n  Do you trust the contents of this directory?\n\n    /home/me/my work\n\n  To proceed, you can either:\n    • Run 'agent' interactively to decide\n";
    expect(errorOf(stderr)).toEqual({
      code: "workspace-untrusted",
      message: "The workspace /home/me/my work is not trusted yet",
      fix: "Add /home/me/my work to Caret's allowed workspaces.",
      retryable: false,
    });
    expect(errorOf("Workspace Trust Required").message).toBe("The workspace is not trusted yet");
  });

  it("means a chat that cannot be resumed, or that someone else has open", () => {
    const claim = 'Failed to claim persistent session for chat "abc": ';
    expect(errorOf(`${claim}Persistent-session chat ID must be a UUID`)).toMatchObject({
      code: "session-not-found",
      message: '"abc" is not the id of a chat',
    });
    expect(errorOf(`${claim}already attached elsewhere`).code).toBe("session-busy");
  });

  it.each([
    ["RATE_LIMITED_CHANGEABLE: Named models unavailable: Free plans can only use Auto", "model-unavailable"],
    ["T: That model needs a paid plan", "model-unavailable"],
    ["ActionRequiredError: PRO_USER_USAGE_LIMIT", "usage-limit"],
    ["RATE_LIMITED_TOO_MANY_REQUESTS", "rate-limited"],
    ["Error: T: [resource_exhausted] Error", "rate-limited"],
    ["ActionRequiredError: OUTDATED_CLIENT", "cli-outdated"],
    ["Error: Your team administrator has disabled the 'Run Everything' option.", "policy-disabled"],
    ["Error: Your team administrator has disabled headless Cursor CLI usage.", "policy-disabled"],
    ["ENOENT: no such file or directory, rename '/c/cli-config.json.tmp' -> '/c/cli-config.json'", "agent-unavailable"],
    ["spawn E2BIG", "prompt-too-long"],
    ["bash: /usr/bin/agent: Argument list too long", "prompt-too-long"],
    ["The command line is too long.", "prompt-too-long"],
    ["error: unknown option '--fork'\n(Did you mean --force?)", "cli-outdated"],
    ["'agent' is not recognized as an internal or external command", "cli-broken"],
    ["Error: file is not a database", "session-corrupt"],
    ["SqliteError: database is locked", "session-busy"],
    ["ENOSPC: no space left on device, write", "storage-full"],
    ["FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", "agent-unavailable"],
    ["Connection lost, reconnecting to https://a.example (attempt 1)...\nRetry attempt 1...", "upstream-unreachable"],
    ["Error: T: [canceled] stream", "upstream-unreachable"],
    ["Error: T: [deadline_exceeded] late", "upstream-unreachable"],
    ["Error: T: [unavailable] down", "upstream-unreachable"],
    ["RetriableError: again", "upstream-unreachable"],
    ["http/2 stream closed with error code CANCEL", "upstream-unreachable"],
    ["getaddrinfo ENOTFOUND api.example", "upstream-unreachable"],
    ["Error: self-signed certificate in certificate chain", "upstream-unreachable"],
    ["Error: T: [invalid_argument] no", "upstream-error"],
    ["Error: something nobody has seen before", "upstream-error"],
    ["Error: Sandbox mode is enabled but not available on this system.", "sandbox-unavailable"],
    [
      "error: option '--sandbox <mode>' argument 'bogus' is invalid. Allowed choices are enabled, disabled.",
      "invalid-config",
    ],
    ["TypeError: x is not a function\n    at run (/opt/agent/index.js:1:2)\n\nNode.js v24.1.0", "agent-crashed"],
  ])("%s means %s", (stderr, code) => {
    expect(errorOf(stderr).code).toBe(code);
  });

  it.each([
    ['Error: Session ID "0d6f" is already in use.', "session-busy"],
    ["Chat 0d6f is still running in persistent session S1; stop it before a headless resume", "session-busy"],
    ["No previous chats found.", "session-not-found"],
  ])("%s says which chat cannot be used, by %s", (stderr, code) => {
    expect(errorOf(stderr).code).toBe(code);
  });

  it("names what is disabled, and whom it could not reach", () => {
    expect(errorOf("Error: Your team administrator has disabled the 'Run Everything' option.\n").message).toBe(
      "The team's administrator has disabled the 'Run Everything' option",
    );
    expect(errorOf("Connection lost, reconnecting to https://a.example/x (attempt 1)...").message).toBe(
      "https://a.example could not be reached",
    );
  });

  it("may be tried again after the race for the configuration, and not after a login problem", () => {
    const race = errorOf("ENOENT: rename 'cli-config.json.tmp' -> 'cli-config.json'");
    expect({ retryable: race.retryable, isOtherRetryable: errorOf("Authentication required").retryable }).toEqual({
      retryable: true,
      isOtherRetryable: false,
    });
  });

  it("is not mistaken for a login problem when a tool's server merely refused access", () => {
    expect(errorOf("mcp: server docs answered 401 Unauthorized\nRetry attempt 2...").code).toBe("upstream-unreachable");
  });

  it("warns Windows about prompts that fall apart into options", () => {
    expect(errorOf("error: unknown option '-X'", { platform: "win32" }).fix).toBe(
      "Run `agent update`. If the option is a word of the prompt, send the prompt on standard input.",
    );
  });
});

describe("a CLI that says nothing of use", () => {
  it.each<[string, Partial<CliFailure>, string, string]>([
    ["", { exitCode: 127 }, "cli-broken", "`agent`, or a program that it needs, could not be found"],
    ["", { exitCode: 126 }, "cli-not-executable", "`agent` may not be executed"],
    [
      "",
      { exitCode: 0 },
      "no-result",
      "The agent ended before it said anything, without a result and without an error",
    ],
    [
      "",
      { exitCode: 0, stdoutEmpty: false },
      "no-result",
      "The agent ended in the middle of its answer, without a result and without an error",
    ],
    [
      "",
      {},
      "agent-crashed",
      "The agent ended with exit code 1 before it said anything, and wrote nothing to standard error",
    ],
    ["Aborting operation...", { exitCode: 130 }, "killed", "The agent was ended from outside (SIGINT)"],
    ["", { exitCode: 143 }, "killed", "The agent was ended from outside (SIGTERM)"],
    [
      "Retry attempt 1...",
      { exitCode: null, signal: "SIGKILL" },
      "killed",
      "The agent was ended from outside (SIGKILL)",
    ],
    ["", { exitCode: null, signal: "SIGSEGV" }, "agent-crashed", "The agent crashed (segmentation fault)"],
    ["", { exitCode: 139 }, "agent-crashed", "The agent crashed (segmentation fault)"],
    ["", { exitCode: 134 }, "agent-crashed", "The agent crashed (aborted)"],
    [
      "",
      { exitCode: null },
      "agent-crashed",
      "The agent ended before it said anything, and wrote nothing to standard error",
    ],
  ])("%j and %j are %s", (stderr, rest, code, message) => {
    expect(errorOf(stderr, rest)).toMatchObject({ code, message });
  });

  it("points at its words only where there are some", () => {
    expect([errorOf("", { exitCode: 139 }).fix, errorOf("Illegal", { exitCode: 139 }).fix]).toEqual([
      "Try again; if it happens again, run `agent update`.",
      "Try again; if it happens again, look at the upstream words.",
    ]);
  });

  it("sends the last of its words along, and none when there are none", () => {
    const error = classifyFailure(failureOf(`${"old ".repeat(5_000)}\nlast words\n`));
    expect({ length: error.upstream?.length, endsWithLastWords: error.upstream?.endsWith("\nlast words") }).toEqual({
      length: 2_000,
      endsWithLastWords: true,
    });
    expect(classifyFailure(failureOf(" \n")).toInfo()).not.toHaveProperty("upstream");
  });
});

describe("a code in brackets", () => {
  const reconnects = "Connection lost, reconnecting to https://a.example (attempt 1)...\nRetry attempt 1...\n";

  it.each([
    ["invalid_argument", "unknown option '--system-prompt'"],
    ["invalid_argument", "Workspace context exclusion is not allowed for this user, team, or selected model"],
    ["permission_denied", "no access"],
    ["failed_precondition", "not now"],
    ["unimplemented", "no such method"],
    ["not_found", "no such chat"],
  ])("%s is permanent, whatever class the error has", (code, words) => {
    const errors = ["RetriableError", "Error: T", "ConnectError"].map((name) =>
      classifyFailure(failureOf(`${reconnects}${name}: [${code}] ${words}\n`)),
    );
    expect(errors.map((error) => ({ ...error.toInfo(), recovery: isRecoverable(error) }))).toEqual(
      ["RetriableError", "Error: T", "ConnectError"].map((name) => ({
        code: "upstream-error",
        message: `Cursor refused the turn (${code}): ${words}`,
        fix: errorCatalogue["upstream-error"].fix,
        retryable: false,
        upstream: `${reconnects}${name}: [${code}] ${words}`,
        recovery: undefined,
      })),
    );
  });

  it("is passing where it says so, and the last one decides", () => {
    const last = (first: string, second: string) =>
      errorOf(`RetriableError: [${first}] x\nRetry attempt 1...\nRetriableError: [${second}] y`).code;
    expect({
      passing: last("invalid_argument", "unavailable"),
      permanent: last("unavailable", "invalid_argument"),
      unknown: errorOf("RetriableError: [internal] oops").code,
      limited: errorOf("RetriableError: [resource_exhausted] slow down").code,
      login: errorOf("RetriableError: [unauthenticated] who").code,
    }).toEqual({
      passing: "upstream-unreachable",
      permanent: "upstream-error",
      unknown: "upstream-unreachable",
      limited: "rate-limited",
      login: "not-logged-in",
    });
  });
});

describe("isRecoverable", () => {
  it("lets a login problem change the profile only", () => {
    const error = classifyFailure(failureOf("Error: Authentication required."));
    expect({ recovery: isRecoverable(error), retryable: error.retryable }).toEqual({
      recovery: "auth",
      retryable: false,
    });
  });

  it("tells what another profile, another model and another attempt could help", () => {
    const recoveries = {
      "model-unknown": "model",
      "usage-limit": "account",
      "model-unavailable": "account",
      "upstream-unreachable": "transport",
      "policy-disabled": undefined,
      killed: undefined,
    } as const;
    const codes = Object.keys(recoveries) as (keyof typeof recoveries)[];
    expect(Object.fromEntries(codes.map((code) => [code, isRecoverable(new CaretError(code, "…"))]))).toEqual(
      recoveries,
    );
  });
});
