import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CaretError } from "@caret/protocol";
import { type Recipe, type RecipeMachine, recipes } from "@caret/protocol/recipes";
import { defaultDataDir } from "../config/config-paths.ts";
import { nearestName } from "../config/nearest-name.ts";
import type { Host } from "../host/host.ts";
import { packageRoot } from "../host/program.ts";
import { clientTokenName, clientTokenPath } from "../tokens/client-token.ts";

/** Stands for the token where none is needed yet. */
export const NO_TOKEN = "<token>";

interface RecipePlace {
  readonly url: string;
  readonly token: string;
  readonly dataDir: string;
  readonly host: Pick<Host, "home" | "platform">;
}

/** The recipe of a client, as it is on this machine. Throws with the nearest name for one that is not known. */
export function clientRecipe(client: string, { url, token, dataDir, host }: RecipePlace): Recipe {
  const all = recipes({ url, token, machine: thisMachine(dataDir, client, host) });
  const recipe = all.find(({ id }) => id === client);
  return recipe ?? unknownClient(client, all);
}

export function unknownClient(client: string, all: readonly Recipe[], command = "connect"): never {
  const near = nearestName(
    client,
    all.map(({ id }) => id),
  );
  throw new CaretError("invalid-request", `There is no recipe for ${JSON.stringify(client)}`, {
    fix:
      near === undefined
        ? "`caret connect` lists the clients that have one."
        : `Did you mean \`caret ${command} ${near}\`?`,
  });
}

/** Throws where a client would load a part of Caret that this form of it does not have. */
export function requirePart({ id, name }: Recipe, needs: string | undefined): void {
  if (needs === undefined || existsSync(needs)) return;
  throw new CaretError("not-found", `This form of Caret comes without ${needs}, which ${name} would load`, {
    fix: `\`caret connect ${id.replace("-plugin", "")}\` prints settings that need nothing else.`,
  });
}

/** Where clients find Caret: by its full path, since they may be started from anywhere. */
function thisMachine(dataDir: string, client: string, host: RecipePlace["host"]): RecipeMachine {
  const caret = [process.execPath, fileURLToPath(new URL("bin/caret.js", packageRoot))];
  const name = clientTokenName(client);
  const packages = join(fileURLToPath(packageRoot), "..");
  // A checkout has the sources, and what npm installs the bundle.
  const modules = ["opencode-plugin/src/index.ts", "opencode-plugin/build/index.js"] as const;
  // Without this shell's variables: an editor that a desktop starts has none of them.
  const isUsual = dataDir === defaultDataDir({ ...host, env: {} });
  return {
    caret,
    ...(isUsual ? {} : { dataDir }),
    tokenCommand: [...caret, "token", "print", name, "--data-dir", dataDir],
    tokenFile: clientTokenPath(dataDir, name),
    packages,
    openCodePlugin: modules.find((path) => existsSync(join(packages, path))) ?? modules[1],
  };
}
