import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import plugin from "./index.ts";
import type { Hooks, OpenCodeConfig } from "./open-code.ts";
import type { SetupContext } from "./setup.ts";

let root: string;
let project: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "caret-opencode-")));
  project = join(root, "project");
  mkdirSync(project);
  vi.stubEnv("HOME", root);
  vi.stubEnv("CARET_DATA_DIR", join(root, "data"));
  vi.stubEnv("CARET_LANE", "sim");
  vi.stubEnv("CARET_SERVER_PORT", "0");
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

const provider = () => ({
  npm: "@ai-sdk/openai-compatible",
  name: "Caret",
  options: {
    baseURL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
    apiKey: expect.stringMatching(/^caret_/),
  },
  models: expect.objectContaining({ auto: expect.objectContaining({ name: expect.any(String) }) }),
});

it("starts a gateway for OpenCode 1, which OpenCode 2 then uses too", async () => {
  const said: string[] = [];
  const client = {
    app: { log: async ({ body }: { readonly body: { readonly message: string } }) => void said.push(body.message) },
  };
  const hooks: Hooks = await plugin.server({ directory: project, worktree: project, client });
  const config: OpenCodeConfig = {};
  await hooks.config(config);
  const headers = {};
  await hooks["chat.headers"]({ model: { providerID: "caret" } }, { headers });
  const foreign = {};
  await hooks["chat.headers"]({ model: { providerID: "openai" } }, { headers: foreign });
  expect([config, headers, foreign, said]).toEqual([
    { provider: { caret: provider() } },
    { "x-caret-workspace": project },
    {},
    [],
  ]);

  const edited: Record<string, unknown> = {};
  let sent: Record<string, string> | undefined;
  const context: SetupContext = {
    location: { directory: project },
    provider: {
      transform: async (edit) =>
        edit({
          update: (_, change) => change(edited),
          models: { set: (id, models) => void Object.assign(edited, { id, models }) },
        }),
    },
    session: {
      hook: async (_, act) => {
        sent = {};
        act({ headers: sent });
      },
    },
  };
  const unload = await plugin.setup(context);
  expect([edited, sent]).toEqual([
    {
      id: "caret",
      name: "Caret",
      activation: "enabled",
      package: "@opencode/ai/providers/openai-compatible",
      settings: config.provider?.["caret"]?.options,
      models: expect.arrayContaining([expect.objectContaining({ id: "auto", providerID: "caret" })]),
    },
    {},
  ]);
  unload();
  await hooks.dispose();
});

it("says why there is no gateway, and leaves OpenCode's settings as they are", async () => {
  vi.stubEnv("CARET_LANE", "bus");
  const said: string[] = [];
  const client = {
    app: { log: async ({ body }: { readonly body: { readonly message: string } }) => void said.push(body.message) },
  };
  const hooks: Hooks = await plugin.server({ directory: project, worktree: project, client });
  const config: OpenCodeConfig = { model: "openai/gpt-6" };
  await hooks.config(config);
  expect([config, said]).toEqual([{ model: "openai/gpt-6" }, [expect.stringContaining("CARET_LANE: expected one of")]]);
});
