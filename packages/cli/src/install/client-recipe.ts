import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CaretError } from "@caret/protocol";
import { type Recipe, type RecipeMachine, recipes } from "@caret/protocol/recipes";
import { nearestName } from "../config/nearest-name.ts";
import { packageRoot } from "../program.ts";
import { clientTokenName, clientTokenPath } from "../tokens/client-token.ts";

/** Stands for the token where none is needed yet. */
export const NO_TOKEN = "<token>";

/** The recipe of a client, as it is on this machine. Throws with the nearest name for one that is not known. */
export function clientRecipe(
  client: string,
  values: { readonly url: string; readonly token: string; readonly dataDir: string },
): Recipe {
  const all = recipes({ ...values, machine: thisMachine(values.dataDir, client) });
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

/** Where clients find Caret: by its full path, since they may be started from anywhere. */
function thisMachine(dataDir: string, client: string): RecipeMachine {
  const caret = [process.execPath, fileURLToPath(new URL("bin/caret.js", packageRoot))];
  const name = clientTokenName(client);
  const packages = join(fileURLToPath(packageRoot), "..");
  // A checkout has the sources, and what npm installs the bundle.
  const modules = ["opencode-plugin/src/index.ts", "opencode-plugin/build/index.js"] as const;
  return {
    caret,
    tokenCommand: [...caret, "token", "print", name, "--data-dir", dataDir],
    tokenFile: clientTokenPath(dataDir, name),
    packages,
    openCodePlugin: modules.find((path) => existsSync(join(packages, path))) ?? modules[1],
  };
}
