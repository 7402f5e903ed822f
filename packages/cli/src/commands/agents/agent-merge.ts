import type { ChangedFile, MergePreview } from "@caret/protocol";
import { type ExitCode, exitCodes } from "../../host/host.ts";
import { confirm } from "../../terminal/confirm.ts";
import { hostLook, type TerminalStyle } from "../../terminal/look.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { cleanLine, cleanText } from "../../terminal/text-cleaner.ts";
import type { AgentOptions, AgentWork } from "./agent-work.ts";

interface MergeOptions extends AgentOptions {
  readonly yes?: boolean;
  readonly preview?: boolean;
  readonly message?: string;
}

export async function showDiff({ host, client, json }: AgentWork, name: string): Promise<ExitCode> {
  const changes = await client.agentChanges(name);
  if (json) return await printJson(host, changes);
  if (!changes.isRepository) return await printLines(host, ["Its workspace is not in a Git repository."]);
  if (changes.files.length === 0) return await printLines(host, ["It has changed nothing."]);
  const { style } = hostLook(host);
  const more = changes.omitted === 0 ? [] : [style.dim(`… and ${changes.omitted} more files`)];
  return await printLines(host, [...changes.files.flatMap((file) => diffLines(file, style)), ...more]);
}

/** Changes nothing before the preview was shown and confirmed, at a terminal or by `--yes`. */
export async function mergeAgent(
  { host, client, json }: AgentWork,
  name: string,
  { yes, preview: only, message }: MergeOptions,
): Promise<ExitCode> {
  const preview = await client.previewMerge(name);
  if (only === true && json) return await printJson(host, preview);
  if (!json) await printLines(host, previewLines(preview));
  if (only === true) return exitCodes.completed;
  const isClear = preview.files.length > 0 && preview.conflicts.length === 0 && preview.inTheWay.length === 0;
  // The rejection says what blocks the merge.
  if (isClear && yes !== true && !(await confirm(host, `Merge this into ${preview.into}?`))) {
    await printLines(host, ["Nothing was changed. --yes merges without asking."]);
    return exitCodes.cancelled;
  }
  const merged = await client.mergeAgent(name, { preview: preview.id, ...(message === undefined ? {} : { message }) });
  if (json) return await printJson(host, merged);
  return await printLines(host, [`Merged into ${merged.into}, which is at ${merged.commit.slice(0, 12)} now.`]);
}

function previewLines({ repository, into, branch, files, conflicts, inTheWay }: MergePreview): readonly string[] {
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  return [
    `${branch} changes ${count}; they would go to ${into} in ${cleanLine(repository)}:`,
    ...files.map(({ path, status }) => `  ${status.padEnd(8)}  ${cleanLine(path)}`),
    ...conflicts.map((path) => `  conflict  ${cleanLine(path)}`),
    ...inTheWay.map((path) => `  in the way, uncommitted  ${cleanLine(path)}`),
  ];
}

function diffLines({ path, status, unified }: ChangedFile, style: TerminalStyle): readonly string[] {
  const head = style.bold(`${status} ${cleanLine(path)}`);
  if (unified === undefined) return [head, style.dim("  (binary, or too large to show)")];
  const lines = cleanText(unified).trimEnd().split("\n");
  return [head, ...lines.map((line) => coloured(line, style))];
}

function coloured(line: string, style: TerminalStyle): string {
  if (line.startsWith("+")) return style.green(line);
  if (line.startsWith("-")) return style.red(line);
  return line.startsWith("@@") ? style.cyan(line) : line;
}
