import { PassThrough, Readable } from "node:stream";
import { expect, it } from "vitest";
import type { Host } from "../../host/host.ts";
import { launchClient } from "../../install/launch-client.ts";
import { tryCommand } from "../testing/try-command.ts";
import { addLaunchCommand } from "./launch.ts";

const host: Host = {
  argv: [],
  command: "caret",
  env: { PATH: "/usr/bin:/bin" },
  cwd: "/",
  home: "/",
  platform: process.platform,
  uid: process.getuid?.(),
  stdin: Readable.from([]),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  onSignal: () => () => undefined,
};
const launch = { args: [], env: { TOKEN: "7" } };

it("starts what follows `--`, as users write it for other launchers, and ends with its exit code", async () => {
  expect(await launchClient({ host, launch, args: ["--", "sh", "-c", "exit $TOKEN"] })).toBe(7);
  expect(await launchClient({ host, launch, args: ["sh", "-c", "kill -9 $$"] })).toBe(137);
});

it.each([
  ["/nonexistent/program", "ENOENT"],
  ["/etc/passwd", "EACCES"],
])("names %s, which cannot be started", async (program, code) => {
  await expect(launchClient({ host, launch, args: [program] })).rejects.toMatchObject({
    code: "not-found",
    message: `${program} cannot be started: ${code}`,
  });
});

it.each([
  [
    "droid",
    "Droid takes its settings",
    "Run `caret install droid`, then start it: `FACTORY_AIRGAP_ENABLED=true droid -m custom:auto`.",
  ],
  [
    "openclaw",
    "OpenClaw takes its settings",
    "Write what `caret connect openclaw` prints, then start it: `openclaw agent --local",
  ],
  ["zed", "Zed is not started from a terminal", "`caret connect zed` prints how to set it up."],
])("says of %s, which it cannot start, what to do", async (client, message, fix) => {
  const trial = { cwd: "/nonexistent", env: { CARET_LANE: "sim" } };
  await expect(tryCommand(addLaunchCommand, ["launch", client], trial)).rejects.toMatchObject({
    code: "invalid-request",
    message: expect.stringContaining(message),
    fix: expect.stringContaining(fix),
  });
});
