import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { ClientConnection } from "@caret/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClientFinder } from "./find-client-process.ts";

let server: Server;
const children: ChildProcess[] = [];
beforeEach(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await new Promise((resolve) => server.close(resolve));
});

/** A separate process that only connects. */
async function connect(): Promise<{ readonly child: ChildProcess; readonly connection: ClientConnection }> {
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, ["-e", `require("node:net").connect(${port}, "127.0.0.1")`]);
  children.push(child);
  const [socket] = (await once(server, "connection")) as [Socket];
  socket.on("error", () => undefined);
  const { remoteAddress = "", remotePort = 0, localPort = 0 } = socket;
  return { child, connection: { remoteAddress, remotePort, localPort } };
}

it("knows whether the process at the other end of a connection lives", async () => {
  const find = createClientFinder();
  const { child, connection } = await connect();
  const client = await find(connection);
  expect(client?.isAlive()).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(client?.isAlive()).toBe(false);
});

it("tells clients apart that are looked for at the same time", async () => {
  const find = createClientFinder();
  const clients = [await connect(), await connect(), await connect()];
  const found = await Promise.all(clients.map(({ connection }) => find(connection)));
  clients[1]?.child.kill("SIGKILL");
  await once(clients[1]?.child ?? server, "exit");
  expect(found.map((client) => client?.isAlive())).toEqual([true, false, true]);
});

it("knows nothing of a client on another machine, or of a connection that is gone", async () => {
  const find = createClientFinder();
  const { connection } = await connect();
  const strangers = [
    { ...connection, remoteAddress: "192.0.2.7" },
    { ...connection, remotePort: 1 },
  ];
  expect(await Promise.all(strangers.map(find))).toEqual([undefined, undefined]);
});
