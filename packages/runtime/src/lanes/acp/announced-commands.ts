import type { AgentCommandView, JsonObject } from "@caret/protocol";
import { objectField, objectsField, textField, wordField } from "../../decode/read-fields.ts";

const MAX_COMMANDS = 200;

/** The `/` commands that a notification announces; undefined if it is about something else. */
export function announcedIn(params: JsonObject): readonly AgentCommandView[] | undefined {
  const update = objectField(params, "update");
  if (textField(update, "sessionUpdate") !== "available_commands_update") return undefined;
  return objectsField(update, "availableCommands")
    .slice(0, MAX_COMMANDS)
    .flatMap((command): readonly AgentCommandView[] => {
      const name = wordField(command, "name")?.replace(/^\//, "");
      if (name === undefined || !/^\S+$/.test(name)) return [];
      return [{ name, source: "agent", description: textField(command, "description") ?? "" }];
    });
}
