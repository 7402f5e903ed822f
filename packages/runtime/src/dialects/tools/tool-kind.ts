import type { ToolKind } from "@caret/protocol";

const kinds: Readonly<Record<Exclude<ToolKind, "other">, readonly string[]>> = {
  shell: ["shell", "writeShellStdin", "piBash"],
  read: ["read", "readFile", "piRead", "readLints", "blameByFilePath"],
  edit: ["edit", "editFile", "delete", "deleteFile", "piEdit", "applyAgentDiff", "applyPatch"],
  write: ["write", "writeFile", "piWrite"],
  search: ["grep", "glob", "ls", "semSearch", "piGrep", "piFind", "piLs", "searchConversations"],
  fetch: ["webFetch", "webSearch", "fetch"],
  todo: ["updateTodos", "readTodos", "todo", "todoWrite"],
  task: ["task", "await"],
  mcp: ["mcp", "getMcpTools", "listMcpResources", "readMcpResource", "mcpAuth"],
  question: ["askQuestion"],
  plan: ["createPlan"],
};

const kindByName: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(kinds).flatMap(([kind, names]) => names.map((name) => [name, kind as ToolKind] as const)),
);

/** What a native tool is for, so that a card can be chosen without knowing each of some seventy names. */
export function toolKind(name: string): ToolKind {
  return kindByName.get(name) ?? "other";
}
