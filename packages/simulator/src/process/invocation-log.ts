import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import type { Host } from "./host.ts";

/** Appends one JSON object per line to the file that `CARET_SIM_LOG` names, so that tests can see what was really sent. */
export type InvocationLog = (record: object) => void;

export function createInvocationLog({ env, pid }: Pick<Host, "env" | "pid">): InvocationLog {
  const path = env["CARET_SIM_LOG"];
  if (path === undefined || path === "") return () => undefined;
  return (record) => appendFileSync(path, `${JSON.stringify({ ...record, pid })}\n`);
}

/** Every invocation writes one line, once. */
export function createRecorder(host: Host, log: InvocationLog): (stdin?: Buffer) => void {
  let isRecorded = false;
  return (stdin) => {
    if (!isRecorded) log(toInvocationRecord(host, stdin));
    isRecorded = true;
  };
}

/** `stdin` is absent when it was not read. */
function toInvocationRecord({ argv, cwd, env }: Pick<Host, "argv" | "cwd" | "env">, stdin?: Buffer): object {
  return {
    event: "invocation",
    argv,
    cwd,
    env: { names: Object.keys(env).sort(), values: chosenValues(env) },
    ...(stdin === undefined ? {} : { stdin: describe(stdin) }),
  };
}

const secretNames = /KEY|TOKEN|SECRET|PASSWORD/;
const chosenNames = /^(CURSOR_|CARET_|HOME$|XDG_CONFIG_HOME$|PATH$|NO_OPEN_BROWSER$)/;

/** A secret is recorded by its length and digest: enough to compare, nothing to steal. */
function chosenValues(env: Host["env"]): Readonly<Record<string, string>> {
  const chosen = Object.entries(env).filter(([name]) => chosenNames.test(name));
  return Object.fromEntries(
    chosen.map(([name, value = ""]) => [
      name,
      secretNames.test(name) ? `${value.length} characters, sha256 ${sha256(value).slice(0, 12)}` : value,
    ]),
  );
}

function describe(stdin: Buffer): object {
  return { bytes: stdin.length, sha256: sha256(stdin), text: stdin.toString("utf8") };
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}
