import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { allowedUrl } from "../../credentials/allowed-url.ts";
import { type AgentUrlConfig, findAgentUrl, readEndpoints } from "./api-endpoints.ts";

describe("an address that the API lane sends to", () => {
  it.each([
    "https://api2.cursor.sh",
    "https://agentn.us.api5.cursor.sh/path",
    "https://cursor.com",
    "http://127.0.0.1:4000",
    "http://127.9.9.9",
    "http://localhost:1",
    "https://localhost",
    "http://[::1]:4000",
    "http://[::ffff:127.0.0.1]:4000",
  ])("may be %s", (url) => {
    expect(allowedUrl(url, "it").href).toBe(new URL(url).href);
  });

  it.each([
    ["http://api2.cursor.sh", "without TLS"],
    ["https://cursor.sh.evil.example", "not a host of Cursor's"],
    ["https://evilcursor.sh", "not a host of Cursor's"],
    ["https://localhost.evil.example", "not a host of Cursor's"],
    ["http://10.0.0.1", "not a host of Cursor's"],
    ["http://0.0.0.0:80", "not a host of Cursor's"],
    ["https://user:secret@api2.cursor.sh", "carries a user name"],
    ["ftp://127.0.0.1", "is not an http or https address"],
    ["api2.cursor.sh", "is not an http or https address"],
  ])("may not be %s", (url, why) => {
    expect(() => allowedUrl(url, "CURSOR_AGENT_URL")).toThrow(why);
    expect(() => allowedUrl(url, "CURSOR_AGENT_URL")).toThrow("nothing was sent there");
  });
});

const text = ({ control, agent }: ReturnType<typeof readEndpoints>) => [control.href, agent?.href];
const CURSOR = "https://api2.cursor.sh/";

describe("what the environment says", () => {
  it.each([
    [{}, undefined, [CURSOR, undefined]],
    [{ CURSOR_AGENT_URL: "https://agent.api5.cursor.sh" }, undefined, [CURSOR, "https://agent.api5.cursor.sh/"]],
    [{ CURSOR_AGENT_URL: "http://127.0.0.1:7" }, undefined, ["http://127.0.0.1:7/", "http://127.0.0.1:7/"]],
    [
      { CURSOR_AGENT_URL: "http://127.0.0.1:7", CURSOR_API_ENDPOINT: "http://127.0.0.1:8" },
      undefined,
      ["http://127.0.0.1:8/", "http://127.0.0.1:7/"],
    ],
    [
      { PI_CURSOR_AGENT_URL: "http://127.0.0.1:6", CURSOR_AGENT_URL: "http://127.0.0.1:7" },
      undefined,
      ["http://127.0.0.1:6/", "http://127.0.0.1:6/"],
    ],
    [{ CURSOR_AGENT_URL: "http://127.0.0.1:7" }, "http://127.0.0.1:5", ["http://127.0.0.1:5/", "http://127.0.0.1:5/"]],
    [{ CURSOR_AGENT_URL: " " }, undefined, [CURSOR, undefined]],
  ])("%o with the setting %s means %j", (env, setting, expected) => {
    expect(text(readEndpoints(env, setting))).toEqual(expected);
  });

  it("may not send the control plane to another host of Cursor's, which would be given the key", () => {
    expect(() => readEndpoints({ CURSOR_API_ENDPOINT: "https://other.cursor.sh" }, undefined)).toThrow(
      "nothing was sent",
    );
  });

  it("is refused when any of it is foreign, even where another would decide", () => {
    const env = { PI_CURSOR_AGENT_URL: "http://127.0.0.1:6", CURSOR_AGENT_URL: "https://evil.example" };
    expect(() => readEndpoints(env, undefined)).toThrow("CURSOR_AGENT_URL names evil.example");
  });
});

describe("where turns go when no setting says so", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "caret-endpoints-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const cached = (agentUrlConfig: object): void =>
    writeFileSync(join(directory, "cli-config.json"), JSON.stringify({ serverConfigCache: { agentUrlConfig } }));
  const find = async (served: AgentUrlConfig | undefined, env: Record<string, string> = {}) => {
    const endpoints = readEndpoints(env, undefined);
    const url = await findAgentUrl({ endpoints, cliConfigDir: directory, serverConfig: async () => served });
    return url.href;
  };

  it("is what Cursor's CLI was given, before what the server says, before the default", async () => {
    const served = { agentUrl: "https://served.api5.cursor.sh" };
    expect([await find(undefined), await find(served)]).toEqual([
      "https://agentn.us.api5.cursor.sh/",
      "https://served.api5.cursor.sh/",
    ]);
    cached({ agentUrl: "https://agent.api5.cursor.sh", agentnUrl: "https://agentn.api5.cursor.sh" });
    expect(await find(served)).toBe("https://agentn.api5.cursor.sh/");
  });

  it("is never a foreign host, wherever it is named", async () => {
    await expect(find({ agentUrl: "https://evil.example" })).rejects.toMatchObject({ code: "invalid-config" });
    cached({ agentnUrl: "https://evil.example" });
    await expect(find(undefined)).rejects.toThrow("cli-config.json names evil.example");
  });

  it("stays on this machine with a control server on this machine", async () => {
    const env = { CURSOR_API_ENDPOINT: "http://127.0.0.1:8" };
    cached({ agentUrl: "https://agent.api5.cursor.sh" });
    expect([
      await find(undefined, env),
      await find({ agentUrl: "https://agent.api5.cursor.sh" }, env),
      await find({ agentUrl: "http://127.0.0.1:9" }, env),
    ]).toEqual(["http://127.0.0.1:8/", "http://127.0.0.1:8/", "http://127.0.0.1:9/"]);
  });

  it("does not depend on a file that is not the CLI's", async () => {
    for (const content of ["", "{", "[]", '{"serverConfigCache":7}']) {
      writeFileSync(join(directory, "cli-config.json"), content);
      expect(await find(undefined)).toBe("https://agentn.us.api5.cursor.sh/");
    }
  });
});
