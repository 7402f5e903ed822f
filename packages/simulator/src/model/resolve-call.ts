import type { Intent, ModelCall, ModelRequest, NativeToolName, OfferedTool } from "./model.ts";
import { offeredCall } from "./offered-call.ts";
import { guessArguments } from "./peculiar-call.ts";
import { schemaProperties } from "./schema-properties.ts";

/** Whose tool is tried first; the other side is the second choice. */
export type Side = "native" | "offered";

interface ResolveContext {
  readonly request: ModelRequest;
  readonly side: Side;
  /** Only this side, as when the other one has just refused. */
  readonly only?: boolean;
  readonly workingDirectory: string | undefined;
}

/** The call that does what is wanted, or nothing when no tool can. */
export function resolveCall(intent: Intent, content: string, context: ResolveContext): ModelCall | undefined {
  if (intent.kind === "call") return namedCall(intent, context);
  const { request, side, only, workingDirectory } = context;
  const bySide: Record<Side, () => ModelCall | undefined> = {
    native: () => {
      const call = nativeCall(intent, content);
      return request.nativeTools.includes(call.name) ? call : undefined;
    },
    offered: () => offeredCall(intent, content, { tools: request.offeredTools, workingDirectory }),
  };
  const other: Side = side === "native" ? "offered" : "native";
  return bySide[side]() ?? (only === true ? undefined : bySide[other]());
}

/** A tool the prompt calls by its name: `echo`, `local-echo`, `mcp__local__echo` are all the same one. */
function namedCall(
  intent: Extract<Intent, { kind: "call" }>,
  { request, only }: ResolveContext,
): ModelCall | undefined {
  if (only === true) return undefined;
  const tool = request.offeredTools.find((offered) => namesOf(offered).includes(intent.tool.toLowerCase()));
  const given = intent.args[""];
  if (tool !== undefined) {
    const args = given === undefined ? intent.args : guessArguments(tool, `"${String(given)}"`);
    return { server: tool.server, name: tool.name, args };
  }
  const wrapped = given === undefined ? wrappedCall(intent, request.offeredTools) : undefined;
  if (wrapped !== undefined) return wrapped;
  const isNative = request.nativeTools.some((name) => name === intent.tool);
  return isNative ? { name: intent.tool, args: given === undefined ? intent.args : {} } : undefined;
}

/** Some clients hide their tools behind one that takes a tool's name and its arguments. */
function wrappedCall(
  { tool, args }: Extract<Intent, { kind: "call" }>,
  tools: readonly OfferedTool[],
): ModelCall | undefined {
  for (const { server, name, description = "", inputSchema } of tools) {
    const properties = schemaProperties(inputSchema);
    const named = properties.find((property) => /^(?:tool|name|tool_?name)$/i.test(property.name));
    const given = properties.find((property) => /^(?:args|arguments|input|params|parameters)$/i.test(property.name));
    if (named === undefined || given === undefined || !/\btools?\b/i.test(`${name.replace(/_/g, " ")} ${description}`))
      continue;
    const value = given.type === "string" ? JSON.stringify(args) : args;
    return { server, name, args: { [named.name]: tool, [given.name]: value } };
  }
  return undefined;
}

function namesOf({ server, name }: OfferedTool): readonly string[] {
  return [name, `${server}-${name}`, `${server}.${name}`, `${server}:${name}`, `mcp__${server}__${name}`].map(
    (spelling) => spelling.toLowerCase(),
  );
}

/** The agent's own tool for an intent, with its own arguments. `content` is what a write puts into the file. */
function nativeCall(intent: Intent, content: string): ModelCall & { readonly name: NativeToolName } {
  switch (intent.kind) {
    case "read":
      return { name: "read", args: { path: intent.path } };
    case "list":
      return { name: "ls", args: { path: intent.path } };
    case "search":
      return { name: "grep", args: { pattern: escapePattern(intent.pattern), path: intent.path } };
    case "find":
      return { name: "glob", args: { globPattern: intent.glob } };
    case "run":
      return { name: "shell", args: { command: intent.command, description: `Run ${intent.command.slice(0, 60)}` } };
    case "write":
      return { name: "write", args: { path: intent.path, contents: content } };
    case "edit":
      return { name: "edit", args: { path: intent.path, oldText: intent.oldText, newText: intent.newText } };
    case "delete":
      return { name: "delete", args: { path: intent.path } };
    case "fetch":
      return { name: "webFetch", args: { url: intent.url } };
    case "web-search":
      return { name: "webSearch", args: { searchTerm: intent.query } };
    case "ask":
      return { name: "askQuestion", args: toQuestion(intent) };
    case "delegate":
      return { name: "task", args: { description: intent.prompt.slice(0, 60), prompt: intent.prompt } };
    case "plan":
      return { name: "createPlan", args: toPlan(intent.prompt) };
    case "call":
      return { name: intent.tool as NativeToolName, args: intent.args };
  }
}

/** People search for words; the tool wants a regular expression. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$*+?()[\]{}|]/g, "\\$&");
}

function toQuestion({ question, options }: Extract<Intent, { kind: "ask" }>): ModelCall["args"] {
  const prompt =
    question === "" ? "What would you like me to do?" : `${question.charAt(0).toUpperCase()}${question.slice(1)}?`;
  const choices = options.length > 0 ? options : ["Yes", "No"];
  return {
    title: "A question",
    questions: [
      { id: "choice", prompt, options: choices.map((label) => ({ id: label, label })), allowMultiple: false },
    ],
  };
}

function toPlan(prompt: string): ModelCall["args"] {
  const steps = ["Look at the files concerned", "Make the change", "Check the result"];
  const plan = [`# Plan`, "", prompt, "", ...steps.map((step, index) => `${index + 1}. ${step}`)].join("\n");
  const todos = steps.map((content, index) => ({ id: String(index + 1), content, status: "pending" }));
  return { name: prompt.slice(0, 60), overview: prompt, plan, todos };
}
