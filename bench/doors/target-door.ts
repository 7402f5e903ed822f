import { findListener } from "./find-listener.ts";
import type { ServedDoor } from "./serve-door.ts";

export interface TargetOptions {
  readonly model: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Another gateway, as `name=url`. Its token comes from the environment, because arguments can be read by every user of
 * the machine: `BENCH_TOKEN_<NAME>`, or `BENCH_TOKEN` for all. It must start the agent that `buildPrograms` makes.
 */
export function targetDoor(word: string, { model, env }: TargetOptions): ServedDoor {
  const [, name = "", url = ""] = /^([\w-]+)=(http:\/\/.+)$/.exec(word) ?? [];
  if (name === "" || !URL.canParse(url)) throw new Error(`A target is written name=http://host:port, not ${word}`);
  if (name === "caret" || name === "rawpipe") throw new Error(`A target cannot be named ${name}`);
  const { hostname, port } = new URL(url);
  const isHere = hostname === "localhost" || hostname.startsWith("127.");
  return {
    name,
    url,
    token: env[`BENCH_TOKEN_${name.toUpperCase().replaceAll("-", "_")}`] ?? env["BENCH_TOKEN"] ?? "",
    model,
    pid: isHere ? findListener(Number(port || 80)) : undefined,
    // It was not started here, so that it is not stopped here.
    stop: () => Promise.resolve(),
  };
}
