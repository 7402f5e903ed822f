import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Spawner } from "../../process/child-handle.ts";
import type { ResolvedLaunch } from "../../process/resolve-launch.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { createWorkbench, testEnv, type Workbench } from "../../process/testing/workbench.ts";
import { createVersionProbe } from "./version-probe.ts";

let workbench: Workbench;
let spawner: Spawner;
beforeEach(() => {
  workbench = createWorkbench();
  spawner = createInlineSpawner({});
});
afterEach(async () => {
  await spawner.close();
  workbench.remove();
});

const launchOf = (file: string): ResolvedLaunch => ({ file, args: [] });
const asks = (version: string): string => `#!/bin/sh\necho asked >> "${workbench.path("asked")}"\necho ${version}\n`;
const timesAsked = (): number =>
  existsSync(workbench.path("asked")) ? readFileSync(workbench.path("asked"), "utf8").trim().split("\n").length : 0;

describe("which version a program is", () => {
  it("is asked once and remembered", async () => {
    const probe = createVersionProbe(spawner);
    const launch = launchOf(workbench.program("agent", asks("2026.09.15-abc1234")));
    expect(probe.known(launch)).toBeUndefined();
    const both = await Promise.all([probe.find(launch, testEnv), probe.find(launch, testEnv)]);
    expect(both).toEqual(["2026.09.15-abc1234", "2026.09.15-abc1234"]);
    expect([probe.known(launch), timesAsked()]).toEqual(["2026.09.15-abc1234", 1]);
  });

  it("is asked again when the file has changed", async () => {
    const probe = createVersionProbe(spawner);
    const launch = launchOf(workbench.program("agent", asks("2026.09.15-abc1234")));
    await probe.find(launch, testEnv);
    appendFileSync(launch.file, "# updated\n");
    workbench.program("agent", `${asks("2026.10.02-def5678")}\n`);
    expect(await probe.find(launch, testEnv)).toBe("2026.10.02-def5678");
  });

  it("is read from the directory it is installed in, without asking", async () => {
    mkdirSync(workbench.path("2026.10.01-fff0000"));
    workbench.program("2026.10.01-fff0000/agent", asks("another"));
    symlinkSync(workbench.path("2026.10.01-fff0000/agent"), workbench.path("agent"));
    const probe = createVersionProbe(spawner);
    const launch = launchOf(workbench.path("agent"));
    expect([probe.known(launch), await probe.find(launch, testEnv), timesAsked()]).toEqual([
      "2026.10.01-fff0000",
      "2026.10.01-fff0000",
      0,
    ]);
  });

  it("is read again when another version has the place of the file on disk, with the same length and time", () => {
    const [older, newer] = ["2026.10.01-fff0000", "2026.10.02-aaa1111"];
    for (const version of [older, newer]) mkdirSync(workbench.path(version));
    const first = workbench.program(`${older}/agent`, asks("another"));
    const [second, link] = [workbench.path(`${newer}/agent`), workbench.path("agent")];
    symlinkSync(first, link);
    const probe = createVersionProbe(spawner);
    const before = [probe.known(launchOf(link)), statSync(link).ino];
    // The very file, moved: as where the older version is removed, and the newer one gets the number of its file.
    const changedAt = statSync(first).ctimeMs;
    for (linkSync(first, second); statSync(first).ctimeMs === changedAt; linkSync(first, second)) unlinkSync(second);
    unlinkSync(first);
    symlinkSync(second, `${link}.new`);
    renameSync(`${link}.new`, link);
    const { ino } = statSync(link);
    expect([before, [probe.known(launchOf(link)), ino]]).toEqual([
      [older, ino],
      [newer, ino],
    ]);
  });

  it("is whole when it has a time in it", async () => {
    const version = "2026.06.15-03-48-54-da23e37";
    mkdirSync(workbench.path(version));
    workbench.program(`${version}/agent`, asks("another"));
    const probe = createVersionProbe(spawner);
    const found = {
      asked: await probe.find(launchOf(workbench.program("agent", asks(version))), testEnv),
      installed: await probe.find(launchOf(workbench.path(`${version}/agent`)), testEnv),
    };
    expect(found).toEqual({ asked: version, installed: version });
  });

  it("comes with the program's own words", async () => {
    const probe = createVersionProbe(spawner);
    const grok = launchOf(workbench.program("grok", "#!/bin/sh\necho 'grok 0.3.1 (2026.10.01)'\n"));
    expect(await probe.ask(grok, testEnv)).toEqual({ version: undefined, printed: "grok 0.3.1 (2026.10.01)" });
  });

  it("is unknown of a program that says something else, fails, or is not there", async () => {
    const probe = createVersionProbe(spawner);
    const programs = [
      workbench.program("other", "#!/bin/sh\necho OpenSSH_9.2\n"),
      workbench.program("failing", "#!/bin/sh\nexit 1\n"),
      workbench.path("nothing"),
    ];
    const found = await Promise.all(programs.map((file) => probe.find(launchOf(file), testEnv)));
    expect(found).toEqual([undefined, undefined, undefined]);
  });
});
