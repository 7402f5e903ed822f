import type { JsonObject, Todo } from "@caret/protocol";
import { objectsField, textField } from "../read-fields.ts";

const statuses: ReadonlyMap<string, Todo["status"]> = new Map(
  Object.entries({
    TODO_STATUS_PENDING: "pending",
    TODO_STATUS_IN_PROGRESS: "in-progress",
    TODO_STATUS_COMPLETED: "completed",
    TODO_STATUS_CANCELLED: "cancelled",
    pending: "pending",
    in_progress: "in-progress",
    completed: "completed",
    cancelled: "cancelled",
  } as const),
);

export function readTodos(value: JsonObject | undefined): readonly Todo[] {
  return objectsField(value, "todos").map((todo, index) => ({
    id: textField(todo, "id") ?? String(index + 1),
    content: textField(todo, "content") ?? "",
    status: statuses.get(textField(todo, "status") ?? "") ?? "unknown",
  }));
}
