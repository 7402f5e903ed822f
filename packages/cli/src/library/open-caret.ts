import { createSignInLinks } from "@caret/gateway";
import { createNativeClient } from "@caret/protocol";
import { readConfigFile } from "../config/config-paths.ts";
import { loadConfig } from "../config/load-config.ts";
import { unboundTools } from "../engine/unbound-tools.ts";
import { openMemoryGateway } from "../in-process/memory-gateway.ts";
import { type InProcessHost, silentHost } from "../in-process/silent-host.ts";
import { gatewayDoors } from "../serve/gateway-doors.ts";
import { openTokenStore } from "../tokens/open-token-store.ts";
import type { Caret, CaretOptions } from "./caret.ts";
import { runTurn } from "./run-turn.ts";

const ignore = (): void => undefined;

/** Rejects with `invalid-config` if a setting is wrong. */
export async function openCaret(from: InProcessHost, options: CaretOptions): Promise<Caret> {
  const { onNote = ignore, onError = ignore } = options;
  const host = silentHost(from);
  const { config, files: configFiles } = loadConfig({ ...from, flags: flagsOf(options), readFile: readConfigFile });
  const tokens = openTokenStore({ dataDir: config.dataDir, onError });
  const links = createSignInLinks({ now: Date.now });
  const gateway = await openMemoryGateway({
    host,
    config,
    grant: { name: "library", scopes: ["admin"] },
    tokens,
    keepWarm: true,
    doors: (parts) => gatewayDoors({ host, config, configFiles, links, ...parts }),
    onError,
  });
  const { opened, url, token, fetch, server } = gateway;
  for (const note of [...opened.notes, ...unboundTools(config)]) onNote(note);
  const client = createNativeClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` }, fetch });
  return {
    client,
    runTurn: (wanted) => runTurn(client, wanted),
    fetch,
    url,
    token,
    handle: (request, response) => void server.emit("request", request, response),
    handleUpgrade: (request, socket, head) => void server.emit("upgrade", request, socket, head),
    async close() {
      await gateway.close();
      tokens.close();
    },
  };
}

function flagsOf({ lane, dataDir, workspaces, settings }: CaretOptions): Readonly<Record<string, unknown>> {
  const named = { lane, dataDir, "workspaces.allow": workspaces };
  return { ...settings, ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)) };
}
