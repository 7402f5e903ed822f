import { acpEditors } from "./acp-editors.ts";
import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { continueDev } from "./continue.ts";
import { copilotCli, copilotVsCode } from "./copilot.ts";
import { droid } from "./droid.ts";
import { anthropicLibrary, curl, libraries, openAiLibrary } from "./libraries.ts";
import { mcpHosts } from "./mcp-hosts.ts";
import { crush, goose } from "./more-providers.ts";
import { kilo, openCode, openCodePlugin } from "./open-code.ts";
import { openClaw, pi } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";
import { type Recipe, type RecipeValues, shownMachine } from "./recipe.ts";
import { zedModels } from "./zed-models.ts";

export type {
  ClientAccess,
  ClientFile,
  Installation,
  OwnFile,
  Setting,
  SettingPath,
  SettingStep,
  SettingsFormat,
  SettingValue,
  SharedFile,
  StartedProgram,
} from "./installation.ts";
export { isOwnFile } from "./installation.ts";
export type { Launch } from "./launch.ts";
export { type Door, type Recipe, type RecipeMachine, TERMINAL } from "./recipe.ts";

/** The same settings as in docs/clients.md; the tests run the real clients with them. */
export function recipes(asked: Omit<RecipeValues, "machine"> & Partial<RecipeValues>): readonly Recipe[] {
  const values: RecipeValues = { machine: shownMachine, ...asked };
  return [
    claudeCode(values),
    codex(values),
    openCode(values),
    openCodePlugin(values),
    pi(values),
    qwenCode(values),
    continueDev(values),
    cline(values),
    droid(values),
    openClaw(values),
    copilotCli(values),
    copilotVsCode(values),
    goose(values),
    crush(values),
    kilo(values),
    zedModels(values),
    openAiLibrary(values),
    anthropicLibrary(values),
    ...libraries(values),
    curl(values),
    ...acpEditors(values),
    ...mcpHosts(values),
  ];
}
