import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { CaretError, isJsonObject } from "@caret/protocol";
import type { ClientAccess, Door, Installation, SettingPath } from "@caret/protocol/recipes";
import { valueAt } from "../config/setting-value.ts";
import { readClientToken } from "../tokens/client-token.ts";
import { readRegularFile } from "./read-regular-file.ts";
import type { Receipt } from "./receipt.ts";
import { parseSettings } from "./settings-editors.ts";

const PATIENCE_MS = 120_000;
const PROMPT = "Say that you are ready, in at most five words. Do not use tools.";

export interface LiveTurn {
  readonly url: string;
  readonly model: string;
  readonly answer: string;
  readonly durationMs: number;
}

interface LiveTurnOptions {
  readonly dataDir: string;
  readonly receipt: Receipt;
  readonly installation: Installation;
}

/** Runs one small turn with the address, the token and the model of the client's own file. */
export async function liveTurn({ dataDir, receipt, installation }: LiveTurnOptions): Promise<LiveTurn | undefined> {
  const { door, url, token } = receipt;
  if (door === null || url === null || token === null) return undefined;
  const { access } = installation;
  const found =
    access === undefined
      ? { url: door === "anthropic" ? url : `${url}/v1`, token: readClientToken(dataDir, token), model: "auto" }
      : await readAccess(access, receipt, () => readClientToken(dataDir, token));
  const begun = performance.now();
  const answer = await ask(door, found);
  return { url: found.url, model: found.model, answer, durationMs: Math.round(performance.now() - begun) };
}

interface Access {
  readonly url: string;
  readonly token: string;
  readonly model: string;
}

async function readAccess({ url, token, model }: ClientAccess, receipt: Receipt, kept: () => string): Promise<Access> {
  const file = receipt.files[0];
  if (file === undefined) throw new CaretError("internal", "A receipt without files");
  const settings = parseSettings(file.format, readRegularFile(file.path).toString("utf8"));
  const text = (at: SettingPath): string => String(valueAt(settings, at) ?? "");
  const read = async (): Promise<string> => {
    const values = token.paths.map((at) => valueAt(settings, at));
    const first = String(values[0] ?? "");
    if (token.form === "file") return readFileSync(first.replace(/^\{file:(.*)\}$/, "$1"), "utf8").trim();
    if (token.form === "shell") return await run("sh", ["-c", first.replace(/^\$\((.*)\)$/, "$1")]);
    if (token.form === "words") return await run(first, values[1] as readonly string[]);
    // The command that starts the client sets the variable to this.
    return token.form === "variable" ? kept() : first;
  };
  return { url: text(url), token: await read(), model: model === undefined ? "auto" : text(model) };
}

async function run(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [...args]);
  return stdout.trim();
}

async function ask(door: Door, { url, token, model }: Access): Promise<string> {
  const messages = [{ role: "user", content: PROMPT }];
  const requests: Readonly<Record<Door, readonly [string, object]>> = {
    openai: ["/chat/completions", { model, messages }],
    responses: ["/responses", { model, input: PROMPT, store: false }],
    anthropic: ["/v1/messages", { model, max_tokens: 100, messages }],
  };
  const [path, body] = requests[door];
  const address = url.endsWith(path) ? url : url + path;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "x-caret-tools": "none" };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const response = await fetch(address, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    signal,
    redirect: "error",
  }).catch((cause: unknown) => {
    throw new CaretError("upstream-unreachable", `The test turn got no answer from ${address}`, {
      cause,
      fix: "Start the gateway with `caret serve`, and install again.",
    });
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return textOf(answer);
  const message = valueAt(answer, ["error", "message"]) ?? `status ${response.status}`;
  throw new CaretError("upstream-error", `The test turn failed: ${message}`, {
    fix: "The client's settings are in place. `caret doctor` says what turns need; `caret uninstall` takes the settings back.",
  });
}

/** The text in an answer of any door. */
function textOf(answer: unknown): string {
  if (Array.isArray(answer)) return answer.map(textOf).filter(Boolean).join(" ");
  if (!isJsonObject(answer)) return "";
  const own = [answer["text"], answer["content"]].filter((value) => typeof value === "string");
  const inner = ["choices", "message", "output", "content"].map((name) => textOf(answer[name]));
  return [...own, ...inner].filter(Boolean).join(" ").trim();
}
