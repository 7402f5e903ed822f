import { randomUUID } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CaretError } from "@caret/protocol";
import { exportSession, importSession } from "@caret/runtime";
import { absolutePath } from "../../config/config-paths.ts";
import { type ExitCode, exitCodes } from "../../host/host.ts";
import { findTarget } from "../../install/file-target.ts";
import { findSession } from "../../store/find-session.ts";
import { hostRedactor, type LogWork } from "../../store/log-work.ts";
import { escapeControls, printJson, printLines, write } from "../../terminal/print.ts";

export interface ExportOptions {
  readonly output?: string;
}

/** Exports are always NDJSON. */
export async function exportOne(
  { host, config, store }: LogWork,
  id: string,
  options: ExportOptions,
): Promise<ExitCode> {
  const session = await findSession(store, id);
  const lines = exportSession(store, session.id, { redactor: hostRedactor(host, config) });
  if (options.output === undefined) {
    for await (const line of lines) await write(host.stdout, escapeControls(line));
    return exitCodes.completed;
  }
  await writeWhole(absolutePath(options.output, { ...host, base: host.cwd }), lines);
  return exitCodes.completed;
}

export async function importOne(
  { host, config, store }: LogWork,
  file: string,
  { json }: { readonly json?: boolean },
): Promise<ExitCode> {
  const chunks = file === "-" ? host.stdin : await openFile(absolutePath(file, { ...host, base: host.cwd }));
  const session = await importSession(store, chunks, { id: randomUUID(), redactor: hostRedactor(host, config) });
  return json === true ? await printJson(host, session) : await printLines(host, [session.id]);
}

/** What is in a file's place stays until the export is whole, also where the disk is full. A pipe or a terminal is written to. */
async function writeWhole(path: string, lines: AsyncIterable<string>): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (there !== undefined && !there.isFile()) return await pipeline(lines, await createFile(path, "w"));
  const { path: target } = findTarget(path);
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    await pipeline(lines, await createFile(draft, "wx"));
    await rename(draft, target);
  } catch (reason) {
    await rm(draft, { force: true });
    throw reason;
  }
}

/** Readable by the owner only: a session holds prompts and answers. */
async function createFile(path: string, flag: "w" | "wx"): Promise<Writable> {
  try {
    return (await open(path, flag, 0o600)).createWriteStream();
  } catch (cause) {
    throw new CaretError("invalid-request", `Cannot write ${path}`, { cause, fix: "Name a file that can be written." });
  }
}

async function openFile(path: string): Promise<AsyncIterable<Uint8Array>> {
  try {
    return (await open(path)).createReadStream();
  } catch (cause) {
    throw new CaretError("invalid-request", `Cannot read ${path}`, { cause, fix: "Name an exported session." });
  }
}
