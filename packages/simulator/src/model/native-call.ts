import type { Intent } from "./intent.ts";
import type { ModelCall, NativeToolName } from "./model.ts";

/** The agent's own tool for an intent, with its own arguments. `content` is what a write puts into the file. */
export function nativeCall(intent: Intent, content: string): ModelCall & { readonly name: NativeToolName } {
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
