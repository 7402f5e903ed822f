import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { argv, stdout } from "node:process";
import type { ChildHandle } from "../../process/child-handle.ts";
import { containCommand } from "../../process/containment.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { createSandboxes } from "../create-sandboxes.ts";
import { allAttempts } from "./all-attempts.ts";
import { createWorld, escaped, runnerScript, type World } from "./world.ts";

/**
 * Makes every attempt twice, as the user who runs this: without a sandbox, and in one of the given word. Prints the names of
 * those that got through. A program of its own, so that a test that runs as root can have it run by another user.
 */
const [, , directory = "", tools = "", word = ""] = argv;
const attempts = allAttempts({ isRoot: process.getuid?.() === 0, word });
const spawner = createInlineSpawner();
const script = runnerScript(attempts);

async function without(): Promise<readonly boolean[]> {
  const world = await createWorld(join(directory, "without"), tools);
  const stdio = ["ignore", "pipe", "inherit", "ignore", "ignore", "ignore", "ignore", 7] as const;
  const child = spawn("/bin/sh", ["-c", script], { cwd: world.workspace, env: world.env, stdio: [...stdio] });
  if (child.stdout === null) throw new Error("The attempts have no output");
  const results = await escaped(attempts, child.stdout, world);
  await world.close();
  return results;
}

async function inside(): Promise<readonly boolean[]> {
  const world = await createWorld(join(directory, "inside"), tools);
  const sandboxes = createSandboxes({
    directory: join(world.dataDir, "sandboxes"),
    settings: {
      network: word === "proxy" ? "proxy" : "none",
      hosts: ["*.example.com"],
      git: "guarded",
      readable: [tools],
      memoryDirectoryBytes: 16 * 1024 * 1024,
      processes: 512,
      fileBytes: 16 * 1024 * 1024,
    },
    platform: process.platform,
    arch: process.arch,
    file: "/usr/bin/bwrap",
    spawner,
    env: { PATH: "/usr/bin:/bin" },
    home: world.home,
    apart: [world.home, world.dataDir],
    node: process.execPath,
  });
  const sandbox = await sandboxes.open(
    { word: word === "on" ? "on" : "strict", sessionId: "battery", additions: { cursorFiles: { "mcp.json": "{}" } } },
    {
      workspace: world.workspace,
      isReadOnly: false,
      isOurs: false,
      agent: belongings(world),
      programs: [],
      readable: [],
      sockets: [],
    },
  );
  const child = spawner.spawn(
    containCommand(
      sandbox.enclose({ file: "/bin/sh", args: ["-c", script], cwd: world.workspace, env: world.env, stdin: "closed" }),
      { kind: "none", why: "it has a sandbox" },
    ),
  );
  const results = await resultsOf(child, world);
  await sandbox.close();
  await sandboxes.close();
  await world.close();
  return results;
}

async function resultsOf(child: ChildHandle, world: World): Promise<readonly boolean[]> {
  try {
    return await escaped(attempts, child.stdout, world);
  } catch (cause) {
    throw new Error(`The sandbox said: ${child.stderrTail()}`, { cause });
  }
}

function belongings({ home }: World) {
  const configDir = join(home, ".cursor");
  return { home, configDir, dataDir: undefined, loginFiles: [join(configDir, "auth.json")] };
}

mkdirSync(directory, { recursive: true });
const [outside, within] = [await without(), await inside()];
await spawner.close();
const report = attempts.map(({ name, isOptional = false }, index) => ({
  name,
  isOptional,
  without: outside[index],
  inside: within[index],
}));
stdout.write(JSON.stringify(report));
