import type { Chat, ChatMessage } from "@caret/runtime";
import type { Look } from "../../terminal/look.ts";
import { createMarkdownStream } from "../../terminal/markdown-stream.ts";
import { shortenEnd, shortenMiddle } from "../../terminal/shorten.ts";
import { cleanLine, cleanText } from "../../terminal/text-cleaner.ts";
import { shownArgument } from "../../terminal/tool-line.ts";

const RESULT_LINES = 3;

type Options = Look & { readonly columns: number; readonly isTty: boolean };

/** A chat for reading: text in full, tool results in a few lines. */
export function chatLines(chat: Chat, options: Options): readonly string[] {
  const { style, glyphs } = options;
  const facts = [`chat ${chat.id}`, ...(chat.model === undefined ? [] : [chat.model])];
  return [
    style.bold(cleanLine(chat.name ?? "Untitled")),
    style.dim(cleanLine(facts.join(` ${glyphs.separator} `))),
    ...(chat.damage === undefined ? [] : [style.yellow(cleanLine(chat.damage))]),
    ...chat.messages.flatMap((message) => messageLines(message, options)),
  ];
}

function messageLines(message: ChatMessage, options: Options): readonly string[] {
  const { style, glyphs } = options;
  const text = cleanText(message.text).trim();
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return ["", ...text.split("\n").map((line) => `${style.cyan(">")} ${style.bold(line)}`)];
    case "assistant":
      return [...spoken(text, options), ...message.toolCalls.map((call) => callLine(call, options))];
    case "tool":
      return resultLines(text, options).map((line) => style.dim(`  ${glyphs.quote} ${line}`));
    default:
      return message.role satisfies never;
  }
}

function spoken(text: string, { style, glyphs, columns, isTty }: Options): readonly string[] {
  if (text === "") return [];
  const markdown = createMarkdownStream({ style, glyphs, columns: isTty ? () => columns : undefined });
  return ["", markdown.push(text) + markdown.end()];
}

function callLine({ name, input }: ChatMessage["toolCalls"][number], { style, glyphs, columns }: Options): string {
  const head = `${glyphs.bullet} ${cleanLine(name)}`;
  const argument = shownArgument({ kind: "other", input });
  return `${head} ${style.cyan(shortenMiddle(argument, columns - head.length - 2, glyphs.ellipsis))}`.trimEnd();
}

function resultLines(text: string, { glyphs, columns }: Options): readonly string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(0, RESULT_LINES).map((line) => shortenEnd(line, columns - 6, glyphs.ellipsis));
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `${glyphs.ellipsis} ${left} more lines`];
}
