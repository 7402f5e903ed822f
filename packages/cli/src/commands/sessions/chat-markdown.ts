import { oneLine } from "@caret/protocol";
import type { Chat, ChatMessage } from "@caret/runtime";

/** A whole chat as a Markdown document. */
export function chatMarkdown(chat: Chat): string {
  const facts = [`- Chat: ${chat.id}`, ...(chat.model === undefined ? [] : [`- Model: ${chat.model}`])];
  const damage = chat.damage === undefined ? [] : [`> ${chat.damage}`];
  const messages = chat.messages.flatMap(messageParts);
  return [`# ${oneLine(chat.name ?? "Untitled")}`, facts.join("\n"), ...damage, ...messages].join("\n\n");
}

function messageParts({ role, text, toolCalls }: ChatMessage): readonly string[] {
  const said = text.trim();
  switch (role) {
    case "system":
      return [];
    case "user":
      return ["## User", said];
    case "assistant": {
      const calls = toolCalls.map(
        ({ name, input }) => `Called \`${name}\`:\n\n${fenced(JSON.stringify(input, null, 2) ?? "", "json")}`,
      );
      const parts = [said, ...calls].filter((part) => part !== "");
      return parts.length === 0 ? [] : ["## Assistant", ...parts];
    }
    case "tool":
      return said === "" ? [] : ["The tool answered:", fenced(said, "")];
    default:
      return role satisfies never;
  }
}

/** Uses a fence longer than any in the text, which would otherwise end it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
