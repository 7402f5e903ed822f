import { PassThrough, Readable } from "node:stream";
import { expect, it } from "vitest";
import type { Host } from "../host.ts";
import { launchClient } from "../install/launch-client.ts";

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
