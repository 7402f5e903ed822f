import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { containCommand } from "../process/containment.ts";
import { createInlineSpawner } from "../process/spawner/create-spawner.ts";
import { readAll } from "../process/testing/workbench.ts";
import { createSandboxes, type MachineSandboxes } from "./create-sandboxes.ts";

const hasBubblewrap = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]).status === 0;
const directory = realpathSync(mkdtempSync(join(tmpdir(), "strict-network-")));
const workspace = join(directory, "workspace");
const spawner = createInlineSpawner();
let server: Server;
let port: number;
let sandboxes: MachineSandboxes;

beforeAll(async () => {
  mkdirSync(workspace);
  server = createServer((socket) => socket.end("from outside"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
  sandboxes = createSandboxes({
    directory: join(directory, "sandboxes"),
    settings: {
      network: "proxy",
      hosts: [`127.0.0.1:${port}`],
      git: "guarded",
      readable: [],
      memoryDirectoryBytes: 8 * 1024 * 1024,
      processes: 64,
      fileBytes: 1024 * 1024,
    },
    platform: process.platform,
    arch: process.arch,
    file: "/usr/bin/bwrap",
    spawner,
    env: { PATH: "/usr/bin:/bin" },
    home: join(directory, "home"),
    apart: [join(directory, "home")],
    node: process.execPath,
  });
});
afterAll(async () => {
  await sandboxes.close();
  await spawner.close();
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

async function run(script: string): Promise<string> {
  const sandbox = await sandboxes.open(
    { word: "strict", sessionId: "s", additions: {} },
    { workspace, isReadOnly: false, isOurs: false, agent: undefined, programs: [], readable: [], sockets: [] },
  );
  const env = { PATH: "/usr/bin:/bin", NODE: process.execPath, PORT: String(port) };
  const command = { file: "/bin/sh", args: ["-c", script], cwd: workspace, env, stdin: "closed" } as const;
  const child = spawner.spawn(containCommand(sandbox.enclose(command), { kind: "none", why: "walled in" }));
  const printed = await readAll(child);
  await child.exit;
  await sandbox.close();
  return printed;
}

/** What a program does that heeds the proxy's variables. */
const throughProxy = (target: string): string => `"$NODE" -e '
  const { hostname, port } = new URL(process.env.HTTPS_PROXY);
  require("net").connect(port, hostname).on("data", (b) => process.stdout.write(b)).write("CONNECT ${target} HTTP/1.1\\r\\n\\r\\n")
'`;

describe.skipIf(!hasBubblewrap)("a strict sandbox", () => {
  it("reaches a host that it may through the proxy, and no other", async () => {
    expect(await run(throughProxy(`127.0.0.1:${port}`))).toBe(
      "HTTP/1.1 200 Connection established\r\n\r\nfrom outside",
    );
    expect(await run(throughProxy("example.com:443"))).toMatch(/^HTTP\/1.1 403 Forbidden/);
  });

  it("has nothing on its loopback but the relay", async () => {
    expect(
      await run("\"$NODE\" -e \"require('net').connect($PORT, '127.0.0.1').on('error', (e) => console.log(e.code))\""),
    ).toBe("ECONNREFUSED\n");
  });

  it("cannot write a larger file than it may, or more into memory", async () => {
    const script = "head -c 2000000 /dev/zero >big; wc -c <big; head -c 20000000 /dev/zero >/tmp/big; rm big";
    expect(await run(`{ ${script}; } 2>/dev/null`)).toBe("1048576\n");
    expect(
      await run("ulimit -c; df --output=size -B1 /tmp /dev/shm $HOME 2>/dev/null | tail -n +2 | sort -u | wc -l"),
    ).toBe("0\n1\n");
  });

  it("has only descriptors, variables and processes of its own", async () => {
    expect(await run("ls /proc/self/fd | tr '\\n' ' '")).toBe("0 1 2 3 ");
    expect(
      await run("env | cut -d= -f1 | grep -v -i -E 'proxy|^(PATH|NODE|PORT|TMPDIR|PWD|_|OLDPWD|CARET_PROCESS_ID)$'"),
    ).toBe("");
  });
});
