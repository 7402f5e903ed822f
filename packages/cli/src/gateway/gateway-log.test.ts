import { PassThrough } from "node:stream";
import { Secret } from "@caret/protocol";
import { createRedactor } from "@caret/runtime";
import { expect, it } from "vitest";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";
import { createGatewayLog } from "./gateway-log.ts";

function logOf(level: string) {
  const stderr = new PassThrough();
  const redactor = createRedactor({ secrets: [new Secret("hunter2-hunter2")] });
  const log = createGatewayLog({ stderr } as unknown as Host, { log: { level } } as unknown as Config, () => redactor);
  return { log, written: () => String(stderr.read() ?? "") };
}

it("writes one line of JSON for what is at least as grave as the level, and no secret", () => {
  const { log, written } = logOf("warn");
  log.info("not this");
  log.error({ code: "internal", detail: { key: "hunter2-hunter2" } }, "It broke with hunter2-hunter2");
  const { time, ...line } = JSON.parse(written()) as Record<string, unknown>;
  expect(line).toMatchObject({ level: 50, code: "internal" });
  expect(JSON.stringify(line)).not.toContain("hunter2");
  expect(typeof time).toBe("number");
});

it("writes the name, message and stack of an error, and what its child is bound to", () => {
  const { log, written } = logOf("warn");
  const err = new TypeError("no such thing");
  log.child({ reqId: "r1" }).error({ err }, "A request failed");
  const { time, ...line } = JSON.parse(written()) as Record<string, unknown>;
  expect(line).toEqual({
    level: 50,
    reqId: "r1",
    err: { type: "TypeError", message: "no such thing", stack: err.stack },
    msg: "A request failed",
  });
});

it("writes nothing when it is silent", () => {
  const { log, written } = logOf("silent");
  log.fatal("anything");
  expect(written()).toBe("");
});
