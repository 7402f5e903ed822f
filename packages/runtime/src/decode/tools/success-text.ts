import { isJsonObject, type JsonObject } from "@caret/protocol";
import {
  arrayField,
  contentText,
  numberField,
  objectField,
  objectsField,
  textField,
  wordField,
} from "../read-fields.ts";

type Renderer = (success: JsonObject, args: JsonObject) => string;

/** Renderers of the main tools' answers as readable text. `genericText` shows all others. */
const renderers: ReadonlyMap<string, Renderer> = new Map(
  Object.entries<Renderer>({
    shell: (success) => shellText(success),
    read: (success) => readText(success),
    edit: (success) => wordField(success, "message", "resultForModel", "diffString") ?? `Changed ${pathOf(success)}`,
    write: (success) => `Wrote ${pathOf(success)}`,
    delete: (success) => `Deleted ${textField(success, "deletedFile") ?? pathOf(success)}`,
    grep: (success) => grepText(success),
    glob: (success) => arrayField(success, "files").map(String).join("\n"),
    ls: (success) => treeLines(objectField(success, "directoryTreeRoot"), "").join("\n"),
    mcp: (success) => mcpText(success),
    webFetch: (success) => textField(success, "markdown") ?? genericText(success),
    webSearch: (success) => objectsField(success, "references").map(referenceText).join("\n\n"),
    task: (success) => taskText(success),
  }),
);

export function successText(name: string, success: unknown, args: unknown): string {
  if (!isJsonObject(success)) return success === true || success === undefined ? "" : String(success);
  return (renderers.get(name) ?? genericText)(success, isJsonObject(args) ? args : {});
}

function genericText(value: JsonObject): string {
  const text = wordField(value, "content", "output", "text", "markdown", "message", "results", "summary");
  if (text !== undefined) return text;
  return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
}

/** Interleaved output is what a terminal would have shown; some versions leave it empty. */
export function shellText(value: JsonObject): string {
  const stdout = textField(value, "stdout") ?? "";
  const stderr = textField(value, "stderr") ?? "";
  const interleaved = textField(value, "interleavedOutput") ?? "";
  if (interleaved !== "" && interleaved.length >= stdout.length + stderr.length) return interleaved;
  if (stdout !== "" || stderr !== "") return [stdout, stderr].filter((part) => part !== "").join("\n");
  return interleaved === "" ? elidedText(value) : interleaved;
}

function elidedText(value: JsonObject): string {
  const parts = [textField(value, "outputHead"), textField(value, "outputTail")].filter((part) => part !== undefined);
  const elided = numberField(value, "elidedChars") ?? 0;
  return parts.join(elided > 0 ? `\n… ${elided} characters left out …\n` : "");
}

function readText(success: JsonObject): string {
  const content = textField(success, "content");
  if (content !== undefined) return content;
  if (success["isEmpty"] === true) return "";
  const size = numberField(success, "fileSize");
  return size === undefined ? "[binary content]" : `[binary content, ${size} bytes]`;
}

function pathOf(success: JsonObject): string {
  return textField(success, "path") ?? "the file";
}

function grepText(success: JsonObject): string {
  const results = Object.values(objectField(success, "workspaceResults") ?? {}).filter(isJsonObject);
  const lines = results.flatMap((result) => [...grepMatches(result), ...grepFiles(result), ...grepCounts(result)]);
  return lines.join("\n");
}

function grepMatches(result: JsonObject): readonly string[] {
  return objectsField(objectField(result, "content"), "matches").flatMap((file) =>
    objectsField(file, "matches").map(
      (match) => `${textField(file, "file") ?? "?"}:${match["lineNumber"] ?? "?"}:${textField(match, "content") ?? ""}`,
    ),
  );
}

function grepFiles(result: JsonObject): readonly string[] {
  return arrayField(objectField(result, "files"), "files").map(String);
}

function grepCounts(result: JsonObject): readonly string[] {
  return objectsField(objectField(result, "count"), "counts").map(
    (count) => `${textField(count, "file") ?? "?"}:${count["count"] ?? "?"}`,
  );
}

function treeLines(node: JsonObject | undefined, indent: string): readonly string[] {
  if (node === undefined) return [];
  const name = (textField(node, "absPath") ?? "").split("/").at(-1) ?? "";
  const files = objectsField(node, "childrenFiles").map((file) => `${indent}  ${textField(file, "name") ?? "?"}`);
  const directories = objectsField(node, "childrenDirs").flatMap((child) => treeLines(child, `${indent}  `));
  return [`${indent}${name}/`, ...directories, ...files];
}

/** The CLI nests the text of an MCP part one level deeper than MCP itself; both forms are read. */
function mcpText(success: JsonObject): string {
  const parts = objectsField(success, "content").map((part) => {
    const nested = objectField(part, "text");
    if (nested !== undefined) return textField(nested, "text") ?? "";
    if (part["image"] !== undefined || part["type"] === "image") return "[image]";
    return contentText([part]);
  });
  const structured = objectField(success, "structuredContent");
  return parts.length === 0 && structured !== undefined ? JSON.stringify(structured) : parts.join("\n");
}

function referenceText(reference: JsonObject): string {
  return ["title", "url", "chunk"].flatMap((name) => wordField(reference, name) ?? []).join("\n");
}

function taskText(success: JsonObject): string {
  const said = objectsField(success, "conversationSteps").flatMap(
    (step) => wordField(objectField(step, "assistantMessage"), "text") ?? [],
  );
  if (said.length > 0) return said.join("\n\n");
  const agentId = textField(success, "agentId");
  return success["isBackground"] === true ? `Runs in the background as ${agentId ?? "an unnamed agent"}` : "";
}
