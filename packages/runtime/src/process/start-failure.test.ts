import { describe, expect, it } from "vitest";
import { toStartFailure } from "./start-failure.ts";

describe("why a program could not start", () => {
  const command = { file: "/opt/agent", args: [], cwd: "/", env: {}, stdin: "closed" as const };
  const cases = [
    ["ENFILE", "agent-unavailable", true],
    ["EMFILE", "agent-unavailable", true],
    ["EAGAIN", "agent-unavailable", true],
    ["ENOMEM", "agent-unavailable", true],
    ["ENOEXEC", "cli-broken", false],
    ["EACCES", "cli-not-executable", false],
    ["ENOENT", "cli-missing", false],
    ["E2BIG", "prompt-too-long", false],
    ["EWHATEVER", "agent-unavailable", true],
  ] as const;

  it.each(cases)("%s is %s", (errno, code, retryable) => {
    const cause = Object.assign(new Error("spawn"), { code: errno });
    expect(toStartFailure(cause, command)).toMatchObject({
      code,
      retryable,
      cause,
      message: `Could not start /opt/agent (${errno})`,
    });
  });
});
