import { isRecord } from "../policy/read-json-file.ts";
import { list, type ToolArgs, text } from "./tool-args.ts";
import type { TodoItem, ToolContext } from "./tool-context.ts";
import { refusalText, type ToolDraft } from "./tool-draft.ts";

export function updateTodosTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const merge = input["merge"] === true;
  const todos = toTodoItems(list(input, "todos"), context.now());
  const fail = (error: string) => ({ error: { error } });
  return {
    key: "updateTodosToolCall",
    args: { todos, merge },
    hook: { toolName: "TodoWrite", input: { todos, merge } },
    actions: [],
    refuse: (refusal) => fail(refusalText(refusal)),
    fail,
    work: () => {
      const old = merge ? context.todos.items : [];
      context.todos.items = [...new Map([...old, ...todos].map((todo) => [todo.id, todo])).values()];
      const success = { todos: context.todos.items, totalCount: context.todos.items.length, wasMerge: merge };
      const output = context.todos.items.map(({ status, content }) => `${status} ${content}`).join("\n");
      return { result: { success }, ok: true, output };
    },
  };
}

/** Todos as the wire spells them: enum names for the status, times as strings. */
export function toTodoItems(entries: readonly unknown[], now: number): readonly TodoItem[] {
  const time = String(now);
  return entries.filter(isRecord).map((entry, index) => ({
    id: text(entry, "id") || String(index + 1),
    content: text(entry, "content"),
    status: toStatus(text(entry, "status")),
    createdAt: time,
    updatedAt: time,
    dependencies: list(entry, "dependencies").map(String),
  }));
}

function toStatus(status: string): string {
  if (status.startsWith("TODO_STATUS_")) return status;
  return `TODO_STATUS_${(status || "pending").toUpperCase().replaceAll("-", "_")}`;
}
