import { homedir } from "node:os";
import { readConfigFile } from "@caret/cli/src/config/config-paths.ts";
import { loadConfig } from "@caret/cli/src/config/load-config.ts";
import { openEngine } from "@caret/cli/src/engine/compose.ts";

/**
 * A Caret that runs one turn in each of its workspaces, to be killed in the middle of them. Says `running` once all its
 * agents have spoken. Arguments: the configuration file, then the workspaces.
 */
const [config = "", ...workspaces] = process.argv.slice(2);
const host = {
  argv: [],
  command: "caret",
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  platform: process.platform,
  uid: process.getuid?.(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onSignal: () => () => undefined,
};
const loaded = loadConfig({ ...host, flags: { config }, readFile: readConfigFile });
const { engine } = await openEngine(host, loaded.config, { workspaces: [], keepWarm: true });
const spoke = workspaces.map(async (workspace) => {
  const turn = await engine.startTurn({ prompt: "Work for ever", workspace });
  for await (const batch of turn.follow()) if (batch.some(({ event }) => event.type === "text-delta")) return;
});
await Promise.all(spoke);
process.stdout.write("running\n");
