import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandboxBench, hasBubblewrap, type SandboxBench } from "./testing/sandbox-bench.ts";

let server: Server;
let port: number;
let bench: SandboxBench;

beforeAll(async () => {
  server = createServer((socket) => socket.end("from outside"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
  bench = createSandboxBench([`127.0.0.1:${port}`]);
});
afterAll(async () => {
  await bench.close();
  server.close();
});

function run(script: string): Promise<string> {
  return bench.run("strict", script, { env: { NODE: process.execPath, PORT: String(port) } });
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
    // What the process that runs the tests was given is replaced by /dev/null.
    const list = `for fd in /proc/self/fd/*; do to=$(readlink $fd); [ \${fd##*/} -gt 2 ] && [ -n "$to" ] && [ "$to" != /dev/null ] && echo "$fd $to"; done; true`;
    expect(await run(list)).toBe("");
    expect(
      await run("env | cut -d= -f1 | grep -v -i -E 'proxy|^(PATH|NODE|PORT|TMPDIR|PWD|_|OLDPWD|CARET_PROCESS_ID)$'"),
    ).toBe("");
  });
});
