import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { expect, it } from "vitest";
import { shippedSources } from "./expressions/collect-expressions.ts";
import { isNode, type Node, nodesOf } from "./expressions/syntax-nodes.ts";
import { root } from "./lint-planted.ts";

const sqlite = "packages/runtime/src/log/sqlite";

/** What stops the thread that it is called in, where it stands, and why no stream stands still meanwhile. */
const argued: Readonly<Record<string, string>> = {
  "packages/cli/src/commands/gateway/service.ts: spawnSync": "a command's own process",
  "packages/runtime/src/answers/answer-archive.ts: busyTimeoutMs: BUSY_MS": "50 ms, then the answer is kept in memory",
  "packages/runtime/src/chats/open-chat-store.ts: timeout: LOCK_TIMEOUT_MS": "20 ms, then a copy is read",
  "packages/runtime/src/conversations/matching/sqlite-lineage-store.ts: busyTimeoutMs: BUSY_MS":
    "50 ms, then the row is kept in memory",
  "packages/runtime/src/lanes/api/conversation-store.ts: busyTimeoutMs: 0": "not at all: a patient store tries again",
  [`${sqlite}/checkpoint-worker.ts: no timeout`]: "a thread of its own",
  [`${sqlite}/copy-database.ts: no timeout`]: "a command's own process",
  [`${sqlite}/directory-lock.ts: timeout: 0`]: "not at all",
  [`${sqlite}/log-openers.ts: timeout`]: "at the start and at the end of a process, when nothing runs",
  [`${sqlite}/log-openers.ts: timeout: 0`]: "not at all",
  [`${sqlite}/open-database.ts: timeout: busyTimeoutMs`]: "as its callers say",
  [`${sqlite}/open-log.ts: busyTimeoutMs: BLOCK_MS`]: "5 ms, then it is tried again later",
  [`${sqlite}/open-log.ts: openDatabase by default`]: "at the start of a process, when nothing runs",
  [`${sqlite}/open-log.ts: pragma busy_timeout`]: "5 ms, then it is tried again later",
  "packages/fleet/src/copy/sqlite-copied-store.ts: openDatabase by default": "a command's own process",
};

const stopping = new Set(["execSync", "execFileSync", "spawnSync", "Atomics.wait"]);
const opening = new Set(["openDatabase", "withDatabase", "DatabaseSync"]);

type TextOf = (node: Node) => string;

function waitsIn(file: string): readonly string[] {
  const text = readFileSync(join(root, file), "utf8");
  const textOf: TextOf = ({ start, end }) => text.slice(start, Number(end));
  return [...nodesOf(parseSync(file, text).program as unknown as Node)].flatMap((node) => {
    if (node.type === "Literal" || node.type === "TemplateLiteral")
      return /pragma busy_timeout/i.test(textOf(node)) ? ["pragma busy_timeout"] : [];
    return node.type === "CallExpression" || node.type === "NewExpression" ? waitOfCall(node, textOf) : [];
  });
}

function waitOfCall(call: Node, textOf: TextOf): readonly string[] {
  const name = isNode(call["callee"]) ? textOf(call["callee"]) : "";
  if (stopping.has(name)) return [name];
  return opening.has(name) ? openingWait(name, call, textOf) : [];
}

/** How long a connection that is opened here waits for a lock. */
function openingWait(name: string, call: Node, textOf: TextOf): readonly string[] {
  const given = (call["arguments"] as readonly Node[]).filter(({ type }) => type === "ObjectExpression");
  const named = given.flatMap((options) => (options["properties"] as readonly Node[]).map(textOf));
  const wait = named.find((option) => /^(?:timeout|busyTimeoutMs)\b/.test(option));
  if (wait !== undefined) return [wait];
  if (name === "DatabaseSync") return ["no timeout"];
  return name === "openDatabase" ? ["openDatabase by default"] : [];
}

it("waits for a lock, a process or another thread only where it is argued that no stream stands still", () => {
  const files = shippedSources().filter(
    (file) =>
      !/^packages\/(?:simulator|web)\//.test(file) &&
      /Sync\b|Atomics|openDatabase|busy_timeout/.test(readFileSync(join(root, file), "utf8")),
  );
  // PostgreSQL is asked without waiting.
  const isSqlite = (wait: string): boolean => !/^packages\/(?:cli|fleet\/src\/database)\/.*openDatabase/.test(wait);
  const found = files.flatMap((file) => waitsIn(file).map((wait) => `${file}: ${wait}`)).filter(isSqlite);
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(argued).toSorted());
});
