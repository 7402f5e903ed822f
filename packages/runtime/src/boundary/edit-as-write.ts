import { isJsonObject, type JsonObject } from "../framing/frame.ts";
import { isBookkeeping, meansTheSame } from "./field-aliases.ts";

/** What a model writes where it means "the rest stays": such a content is a sketch, not a file. */
const ELISION =
  /(\.\.\.|…)\s*\(?\s*(existing|rest|remaining|unchanged|other|same|keep)\b|\b(existing|unchanged) code\b/i;

/**
 * The write that an edit really was: a path, the whole new content in a field that says so, and no old text. A new text
 * (`new_string`) is a piece of a file and never its content, and anything else in the call may mean something we do
 * not know: then there is no write, because a wrong one destroys the file.
 */
export function editAsWrite(input: unknown): JsonObject | undefined {
  if (!isJsonObject(input)) return undefined;
  const paths = Object.keys(input).filter((key) => meansTheSame(key, "file_path"));
  const contents = Object.keys(input).filter((key) => meansTheSame(key, "content"));
  const rest = Object.keys(input).filter((key) => ![...paths, ...contents].includes(key) && !isSilent(key, input[key]));
  const [path, content] = [paths[0] ?? "", contents[0] ?? ""];
  if (paths.length !== 1 || contents.length !== 1 || rest.length > 0) return undefined;
  const [file, text] = [input[path], input[content]];
  if (typeof file !== "string" || file === "" || typeof text !== "string" || ELISION.test(text)) return undefined;
  return { path: file, content: text };
}

function isSilent(key: string, value: unknown): boolean {
  return value === "" || value === null || value === undefined || value === false || isBookkeeping(key);
}
