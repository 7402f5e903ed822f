import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { upstreamCommand } from "../command.ts";
import { upstreamSchema, wireShapes } from "../scenario/wire-shapes.ts";
import { ask, RunClient } from "./testing/run-client.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const example = (language: string) =>
  new RegExp(`\`\`\`${language} upstream\\n(.*?)\`\`\``, "s").exec(readme)?.[1] ?? "";

let directory: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-upstream-"));
});
afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(directory, { recursive: true });
});

interface Ready {
  readonly event: string;
  readonly url: string;
  readonly secureUrl: string;
}

/** Starts the program as the README's command line does, and waits until it says where it listens. */
async function startProgram(words: readonly string[]): Promise<Ready> {
  const { file, args } = upstreamCommand();
  const started = spawn(file, [...args, ...words], { cwd: directory, stdio: ["ignore", "pipe", "inherit"] });
  child = started;
  const [line] = (await once(createInterface(started.stdout), "line")) as [string];
  return JSON.parse(line) as Ready;
}

describe("the README's upstream", () => {
  it("starts by its command line, and plays its scenario", async () => {
    writeFileSync(join(directory, "scenario.json"), example("json"));
    const [program, name, ...words] = example("sh").trim().split(" ");
    expect([program, name]).toEqual(["npx", "caret-sim-upstream"]);
    const ready = await startProgram(words);
    const ca = readFileSync(join(directory, "ca.pem"), "utf8");
    const client = new RunClient({ url: ready.secureUrl, httpVersion: "2", ca });
    const first = await client.run({ ...ask("hi"), runId: "r1" });
    expect(first.error?.message).toContain("INTERNAL_ERROR");
    const second = await client.run({ ...ask("hi"), runId: "r1" });
    expect(second.text).toBe("Let me see. The client came back.");
    const busy = await client.run({ ...ask("more", second.checkpoint), runId: "r2" });
    expect(busy.error?.rawMessage).toBe("HTTP 429");
    expect((await client.run({ ...ask("more", second.checkpoint), runId: "r2" })).text).toBe("Now it works.");
    const logged = readFileSync(join(directory, "log.jsonl"), "utf8").trim().split("\n");
    expect(logged.map((line) => (JSON.parse(line) as { event: string }).event)).toContain("request");
    expect(ready).toEqual({
      event: "listening",
      url: ready.secureUrl.replace("https", "http"),
      secureUrl: ready.secureUrl,
    });
  });

  it("ends by a signal", async () => {
    await startProgram([]);
    const exited = once(child as ChildProcess, "exit");
    child?.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });

  it("refuses a scenario that is none, and names the file", async () => {
    writeFileSync(join(directory, "bad.json"), "{}}");
    const { file, args } = upstreamCommand();
    child = spawn(file, [...args, "--scenario", "bad.json"], { cwd: directory, stdio: ["ignore", "ignore", "pipe"] });
    const words: string[] = [];
    child.stderr?.setEncoding("utf8").on("data", (text: string) => words.push(text));
    expect((await once(child, "close"))[0]).toBe(1);
    expect(words.join("")).toMatch(/^Error: bad\.json cannot be read as a scenario: /);
  });

  it("is described with every wire step and every key there is", () => {
    const names = [...Object.keys(wireShapes), ...Object.keys(upstreamSchema.shape)];
    expect(names.filter((name) => !new RegExp(`^\\| (?:\`\\w+[^|]*, )*\`${name}\\b`, "m").test(readme))).toEqual([]);
  });
});
