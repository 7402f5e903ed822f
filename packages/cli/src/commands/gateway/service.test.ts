import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identifyProcess } from "@caret/runtime";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writeLockFile } from "../../gateway/gateway-lock.ts";
import { tryCommand } from "../testing/try-command.ts";
import { addServiceCommand } from "./service.ts";
import { serviceUnit } from "./service-unit.ts";

let home: string;
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "caret-service-")));
  mkdirSync(join(home, "work"));
  writeFileSync(join(home, "own.json"), "{}");
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

it("starts the gateway with the flags of its installation, wherever systemd starts it", async () => {
  const flags = ["--config", "own.json", "--server-port", "5000", "--workspaces-allow", "work"];
  const { stdout } = await tryCommand(addServiceCommand, ["service", "install", "--print", ...flags], {
    cwd: home,
    env: { PATH: "/usr/bin" },
    stdin: "",
  });
  const command = stdout.split("\n").find((line) => line.startsWith("ExecStart="));
  expect(command?.slice(command.indexOf(" serve"))).toBe(
    ` serve --workspaces-allow "[\\"${home}/work\\"]" --server-port 5000 --config ${home}/own.json`,
  );
});

it("writes no unit for a data directory that a running gateway has", async () => {
  const bin = join(home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "systemctl"), "#!/bin/sh\n", { mode: 0o755 });
  const server = createServer((_request, response) => void response.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { pid, startTime = null } = identifyProcess(process.pid);
  writeLockFile(home, { url, pid, startTime, version: "0.0.1", tokenFile: null, socket: null, settings: {} });
  const env = { PATH: `${bin}:/usr/bin:/bin`, CARET_DATA_DIR: home };
  const installing = tryCommand(addServiceCommand, ["service", "install"], { cwd: home, env, stdin: "" });
  await expect(installing).rejects.toMatchObject({
    code: "storage-locked",
    message: `A gateway has this data directory already, at ${url}`,
  });
  expect(existsSync(join(home, ".config"))).toBe(false);
  server.close();
});

it("keeps what a person has made of the unit when it is written again, and when it goes", async () => {
  const directory = join(home, "units");
  const bin = join(directory, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "systemctl"), "#!/bin/sh\n", { mode: 0o755 });
  const env = { PATH: `${bin}:/usr/bin:/bin`, CARET_DATA_DIR: directory, XDG_CONFIG_HOME: directory };
  const service = (word: string) => tryCommand(addServiceCommand, ["service", word], { cwd: home, env, stdin: "" });
  const unit = join(directory, "systemd", "user", "caret.service");
  await service("install");
  await service("install");
  const own = readFileSync(unit, "utf8");
  writeFileSync(unit, `${own}# mine\n`);
  const { stdout } = await service("install");
  writeFileSync(unit, "# other\n");
  await service("uninstall");
  expect(stdout).toContain(`The unit was edited: a copy of it is kept as ${unit}.edited\n`);
  expect([`${unit}.edited`, `${unit}.edited-2`].map((path) => readFileSync(path, "utf8"))).toEqual([
    `${own}# mine\n`,
    "# other\n",
  ]);
  expect([existsSync(unit), existsSync(`${unit}.edited-3`)]).toEqual([false, false]);
});

it("quotes what systemd expands: `$` in a command, and `%` everywhere", () => {
  const unit = serviceUnit({ program: ["/a$b/node"], flags: ["50%"], dataDir: "/data $1 5%", path: "/bin" });
  expect(unit.split("\n").filter((line) => /^(?:ExecStart|Environment)=/.test(line))).toEqual([
    'ExecStart="/a$$b/node" serve 50%%',
    'Environment="CARET_DATA_DIR=/data $1 5%%"',
    "Environment=PATH=/bin",
  ]);
});
