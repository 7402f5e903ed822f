import type { AgentEventOf } from "@caret/protocol";

const MAX_ARGUMENT = 200;

/** Arguments that tell what a call is about, the most telling first. */
const TELLING = ["command", "path", "pattern", "globPattern", "query", "searchTerm", "url", "description", "title"];

/** A call that runs on our side of the door, told to a person on one line. */
export function activityLine({ name, server, input }: AgentEventOf<"tool-call">): string {
  const label = server === undefined ? name : `${server}/${name}`;
  const argument = tellingArgument(input);
  return argument === "" ? `▸ ${label}` : `▸ ${label}: ${argument}`;
}

/** What came of it, only when that is not what everyone expects. */
export function troubleLine(line: string, { status, exitCode }: AgentEventOf<"tool-result">): string | undefined {
  if (status === "ok") return undefined;
  const reason = status === "error" ? failure(exitCode) : status;
  return `${line} (${reason})`;
}

function failure(exitCode: number | undefined): string {
  return exitCode === undefined ? "failed" : `failed with exit code ${exitCode}`;
}

function tellingArgument(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const fields = input as Readonly<Record<string, unknown>>;
  const value = TELLING.map((key) => fields[key]).find((candidate) => typeof candidate === "string");
  const line = typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "";
  return line.length > MAX_ARGUMENT ? `${line.slice(0, MAX_ARGUMENT)}…` : line;
}
