import { createRequire } from "node:module";
import { homedir } from "node:os";
import type { InProcess, openInProcess } from "@caret/cli/bin/in-process.js";
import { openAIResponsesApi } from "@earendil-works/pi-ai/compat";
import type { PiExtension, PiModel, PiStream } from "./pi-extension.ts";
import { onlyAuto, toPiModels } from "./to-pi-models.ts";

/** Pi transforms what its extensions import; Caret is loaded by Node itself, which is faster and needs no transforming. */
const caretModule = createRequire(import.meta.url)("../../cli/bin/in-process.js") as {
  readonly openInProcess: typeof openInProcess;
};

/**
 * Caret inside Pi, over Cursor's API: no gateway, no port, no other process. Unofficial, so it is a provider of its own that
 * a person chooses. Pi's own client of OpenAI's Responses talks to Caret's door in memory. An extension that throws would keep
 * Pi from starting, also for other providers; what is wrong is said when a model is used.
 */
export default async function registerInProcess(pi: PiExtension): Promise<void> {
  const { env, platform } = process;
  const uid = process.getuid?.();
  const opening = caretModule.openInProcess({ env, platform, uid, cwd: process.cwd(), home: homedir() });
  const { models, streamSimple } = await opening.then(
    (caret) => startIn(pi, caret),
    (reason: Error) => failing(reason),
  );
  pi.registerProvider("caret-api", {
    name: "Caret, over Cursor's API (unofficial)",
    // Pi wants an address and a key for every provider; each request has its own.
    baseUrl: "http://localhost",
    apiKey: "caret",
    api: "caret-in-process",
    models,
    streamSimple,
  });
}

interface Offer {
  readonly models: readonly PiModel[];
  readonly streamSimple: PiStream;
}

async function startIn(pi: PiExtension, caret: InProcess): Promise<Offer> {
  pi.on("session_shutdown", () => caret.close());
  const { fetch, token: apiKey } = caret;
  const baseUrl = new URL("/v1", caret.baseUrl).href;
  return {
    models: await listModels(caret),
    streamSimple: (model, context, options) =>
      openAIResponsesApi().streamSimple({ ...model, baseUrl }, context, { ...options, apiKey, fetch }),
  };
}

function failing(reason: Error): Offer {
  const streamSimple = (): never => {
    throw new Error(`Caret cannot start: ${reason.message}`, { cause: reason });
  };
  return { models: onlyAuto, streamSimple };
}

async function listModels({ baseUrl, token, fetch }: InProcess): Promise<readonly PiModel[]> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(new URL("/v1/models", baseUrl), { headers });
  // Without a login there is no list; the first turn says what is missing, and Pi shows it.
  return response.ok ? toPiModels(await response.json()) : onlyAuto;
}
