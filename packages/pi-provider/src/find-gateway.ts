import { readFileSync } from "node:fs";
import { join } from "node:path";

interface FindGatewayOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

export interface GatewayAddress {
  readonly url: string;
  readonly token: string;
}

/** `CARET_URL` and `CARET_TOKEN`, else the gateway that announces itself in Caret's data directory. */
export function findGateway({ env, home }: FindGatewayOptions): GatewayAddress {
  const { CARET_URL: url, CARET_TOKEN: token } = env;
  if (url && token) return { url, token };
  const dataDir = env["CARET_DATA_DIR"] || join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "caret");
  try {
    const announced = JSON.parse(readFileSync(join(dataDir, "gateway.json"), "utf8"));
    return { url: url || announced.url, token: token || readFileSync(announced.tokenFile, "utf8").trim() };
  } catch (cause) {
    throw new Error(`No gateway of Caret's runs for ${dataDir}. Start one with \`caret serve\`.`, { cause });
  }
}
