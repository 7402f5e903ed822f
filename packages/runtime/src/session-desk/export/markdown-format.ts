import { assertNever } from "@caret/protocol";
import type { DocumentFormat } from "./session-document.ts";

/** What the agent wrote is Markdown already and stays as it is; all else is quoted or fenced. */
export const markdownFormat: DocumentFormat = {
  head: ({ title, facts }) => `# ${oneLine(title)}\n\n${facts.map((fact) => `- ${oneLine(fact)}\n`).join("")}\n`,
  block(block) {
    switch (block.kind) {
      case "prompt":
        return `## Prompt\n\n${quote(block.text)}\n\n`;
      case "text":
        return `${block.text.trim()}\n\n`;
      case "note":
        return `*${escaped(oneLine(block.text))}*\n\n`;
      case "details":
        return `**${escaped(oneLine(block.title))}**\n\n${fenced(block.text)}\n\n`;
      default:
        return assertNever(block);
    }
  },
  end: () => "",
};

function quote(text: string): string {
  return text
    .trim()
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

/** With more backticks than the text has in a row. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.trimEnd()}\n${fence}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>]/g, "\\$&");
}
