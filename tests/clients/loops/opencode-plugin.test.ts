import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { GatewayHome } from "../gateway-home.ts";
import { installPackages } from "./client-package.ts";
import type { CodingClient } from "./coding-client.ts";
import { openCodes } from "./open-code.ts";
import { runClient } from "./run-client.ts";
import { ScratchRepository, task } from "./scratch-repository.ts";

const plugin = new URL("../../../packages/opencode-plugin/src/index.ts", import.meta.url).href;
const [chat] = openCodes as readonly [CodingClient];

let home: GatewayHome;
let repository: ScratchRepository;
beforeEach(() => {
  home = new GatewayHome();
  repository = new ScratchRepository();
});
afterEach(() => {
  repository.remove();
  home.remove();
});

/** OpenCode would install the types of its plugins at each start, from a registry. */
async function seedPluginTypes(): Promise<void> {
  const installed = await installPackages(["@opencode-ai/plugin@1.18.33"]);
  const directory = join(repository.home, ".config/opencode");
  mkdirSync(directory, { recursive: true });
  for (const name of ["package.json", "package-lock.json", "node_modules"])
    if (existsSync(join(installed, name))) symlinkSync(join(installed, name), join(directory, name));
}

/** OpenCode with nothing but the plugin in its settings. */
function openCode(model: string, settings: object = {}, env: Readonly<Record<string, string>> = {}): CodingClient {
  return {
    ...chat,
    name: "OpenCode with Caret's plugin",
    prepare: (place) => {
      const prepared = chat.prepare(place);
      const own = { plugin: [plugin], permission: { "*": "allow" }, share: "disabled", autoupdate: false, ...settings };
      writeFileSync(join(place.repository.home, ".config/opencode/opencode.json"), JSON.stringify(own));
      const machine = { ...home.environment(), CARET_LANE: "sim", CARET_SERVER_PORT: "0" };
      return {
        args: ["run", "--model", model],
        env: { ...machine, ...prepared.env, HOME: place.repository.home, ...env },
      };
    },
  };
}

it.each([
  ["its own name", "caret/auto", {}],
  [
    "open-cursor's name, with one line changed",
    "cursor-acp/auto",
    { provider: { "cursor-acp": { name: "Cursor", models: { auto: { name: "Auto" } } } } },
  ],
])("OpenCode does a task by the plugin alone, which starts the gateway, by %s", async (_, model, settings) => {
  await seedPluginTypes();
  const exit = await runClient(openCode(model, settings), { url: "", token: "", repository }, task);
  expect([exit.code, repository.basket(), exit.stdout]).toEqual([0, "full", expect.stringContaining("3 apples.txt")]);
  // The gateway that was started for OpenCode ends with it.
  await expect.poll(() => existsSync(join(home.dataDir, "gateway.json")), { timeout: 15_000 }).toBe(false);
});
