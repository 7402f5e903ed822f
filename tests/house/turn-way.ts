import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/**
 * A stretch of the way: every file that the first imports, over others, and that imports, over others, the last. Types
 * are no step of it.
 */
export interface Stretch {
  readonly title: string;
  readonly from: string;
  readonly to: string;
  /** The last is known by its type alone, as a port is: the last step, and only that, may be one of types. */
  readonly byType?: true;
}

/** From the route of a chat request to the spawn. Where a port hides who implements it, the next stretch begins there. */
export const wayIn: readonly Stretch[] = [
  {
    title: "the door asks the port",
    from: "packages/gateway/src/chat/openai/route.ts",
    to: "packages/protocol/src/ports/conversations.ts",
    byType: true,
  },
  {
    title: "conversations start a turn",
    from: "packages/runtime/src/conversations/create-conversations.ts",
    to: "packages/runtime/src/turns/session-engine.ts",
    byType: true,
  },
  {
    title: "the engine runs a lane",
    from: "packages/runtime/src/turns/create-session-engine.ts",
    to: "packages/runtime/src/lanes/lane.ts",
    byType: true,
  },
  {
    title: "the lane starts an agent",
    from: "packages/runtime/src/lanes/cli/cli-lane.ts",
    to: "packages/runtime/src/process/child-handle.ts",
    byType: true,
  },
  {
    title: "the spawner asks its helper process",
    from: "packages/runtime/src/process/spawner/create-spawner.ts",
    to: "packages/runtime/src/process/spawner/spawner-link.ts",
  },
  {
    title: "the helper spawns the agent",
    from: "packages/runtime/src/process/spawner/spawner-main.ts",
    to: "packages/runtime/src/process/spawner/start-process.ts",
  },
];

/**
 * From the bytes of an agent to the line of a stream: what every batch passes. Each stretch goes from where a batch is
 * used to where it comes from, since that is how files import each other.
 */
export const wayOut: readonly Stretch[] = [
  {
    title: "bytes are queued",
    from: "packages/runtime/src/process/supervise-child.ts",
    to: "packages/runtime/src/process/output-queue.ts",
  },
  {
    title: "the lane reads its agent",
    from: "packages/runtime/src/lanes/cli/cli-lane.ts",
    to: "packages/runtime/src/lanes/cli/read-agent.ts",
  },
  {
    title: "with the decoder of the attempt",
    from: "packages/runtime/src/lanes/cli/open-attempt.ts",
    to: "packages/runtime/src/decode/decoder.ts",
  },
  {
    title: "the decoder makes lines of them",
    from: "packages/runtime/src/decode/decoder.ts",
    to: "packages/runtime/src/decode/framing/line-splitter.ts",
  },
  {
    title: "and events of the lines",
    from: "packages/runtime/src/decode/decoder.ts",
    to: "packages/runtime/src/decode/stream-json/quick-delta.ts",
  },
  {
    title: "the turn writes them",
    from: "packages/runtime/src/turns/run-turn.ts",
    to: "packages/runtime/src/turns/turn-writer.ts",
    byType: true,
  },
  {
    title: "the log is followed",
    from: "packages/runtime/src/turns/turn-writer.ts",
    to: "packages/runtime/src/log/follow.ts",
    byType: true,
  },
  {
    title: "the client's share ends where it must act",
    from: "packages/runtime/src/conversations/shared-turn.ts",
    to: "packages/runtime/src/conversations/until-parked.ts",
  },
  {
    title: "the door follows the answer up to its limits",
    from: "packages/gateway/src/chat/serve-answer.ts",
    to: "packages/gateway/src/chat/stop-matcher.ts",
  },
  {
    title: "reads it",
    from: "packages/gateway/src/chat/serve-answer.ts",
    to: "packages/gateway/src/chat/answer-reader.ts",
  },
  {
    title: "puts it into its format",
    from: "packages/gateway/src/chat/openai/stream.ts",
    to: "packages/gateway/src/chat/openai/stream.ts",
  },
  {
    title: "and sends it",
    from: "packages/gateway/src/chat/serve-answer.ts",
    to: "packages/gateway/src/http/sse-writer.ts",
  },
];

const root = join(import.meta.dirname, "../..");

/** Every source file: no tests, no benches. */
export function sourceFiles(): readonly string[] {
  return globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root })
    .filter((path) => !/\.test\.tsx?$|\.contract\.ts$|\/testing\/|\/generated\//.test(path))
    .sort();
}

export const linesOf = (path: string): readonly string[] => textOf(path).trimEnd().split("\n");
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** The files of a stretch, in order of their names. */
export function filesOf({ from, to, byType }: Stretch): readonly string[] {
  for (const path of [from, to]) if (!existsSync(join(root, path))) throw new Error(`${path} is no file any more`);
  const stepsOf = (path: string): readonly string[] =>
    path === to
      ? []
      : (importGraph().get(path) ?? [])
          .filter(({ name, isType }) => !isType || (byType === true && name === to))
          .map(({ name }) => name);
  const reached = reachable(from, stepsOf);
  const leading = reachable(to, (path) => [...reached].filter((name) => stepsOf(name).includes(path)));
  if (!reached.has(to)) throw new Error(`${from} no longer leads to ${to}`);
  return [...reached].filter((path) => leading.has(path)).sort();
}

/** All files of a way, each once. */
export function filesOfWay(way: readonly Stretch[]): readonly string[] {
  return [...new Set(way.flatMap(filesOf))].sort();
}

function reachable(start: string, next: (path: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set([start]);
  for (const path of found) for (const name of next(path)) found.add(name);
  return found;
}

interface Import {
  readonly name: string;
  readonly isType: boolean;
}

let known: ReadonlyMap<string, readonly Import[]> | undefined;

function importGraph(): ReadonlyMap<string, readonly Import[]> {
  known ??= new Map(sourceFiles().map((path) => [path, importsOf(path)]));
  return known;
}

/** What a file imports; of another package the file behind the name, not the index. */
function importsOf(path: string): readonly Import[] {
  const statements = [...textOf(path).matchAll(/^(?:import|export) (type )?([^;]*?) from "([^"]+)";/gm)];
  return statements.flatMap(([, areTypes, clause = "", from = ""]) => {
    const names = namesIn(clause).map(({ name, isType }) => ({ name, isType: isType || areTypes !== undefined }));
    if (from === "@caret/protocol")
      return names.map(({ name, isType }) => ({ name: exportsOfProtocol().get(name) ?? "", isType }));
    if (!from.startsWith(".")) return [];
    return [{ name: normalize(join(dirname(path), from)), isType: names.every(({ isType }) => isType) }];
  });
}

function namesIn(clause: string): readonly Import[] {
  const [, inside = ""] = /\{([^}]*)\}/.exec(clause) ?? [];
  const words = inside
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
  if (words.length === 0) return [{ name: clause, isType: false }];
  return words.map((word) => ({
    name: word.replace(/^type /, "").split(" as ")[0] ?? "",
    isType: word.startsWith("type "),
  }));
}

let ofProtocol: ReadonlyMap<string, string> | undefined;

function exportsOfProtocol(): ReadonlyMap<string, string> {
  const index = "packages/protocol/src/index.ts";
  ofProtocol ??= new Map(
    [...textOf(index).matchAll(/^export (?:type )?(\{[^}]*\}) from "([^"]+)";/gm)].flatMap(
      ([, names = "", from = ""]) =>
        namesIn(names).map(({ name }) => [name, normalize(join(dirname(index), from))] as const),
    ),
  );
  return ofProtocol;
}

/** Async generators, each of which hands every batch on once more. */
export function asyncStagesOf(path: string): readonly string[] {
  return [...textOf(path).matchAll(/async function\*\s*(\w*)|async \*\s*(\[?[\w.#]+\]?)\s*\(/g)].map(
    ([, name = "", method = ""]) => `${path}: ${name === "" ? method : name}`,
  );
}
