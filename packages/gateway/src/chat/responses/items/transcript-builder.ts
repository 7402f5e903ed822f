import type { TranscriptCall, TranscriptMessage, TranscriptPart } from "@caret/protocol";
import { asksByInstruction } from "../../asks-by-instruction.ts";
import { parseArguments } from "../../openai-tools.ts";
import type { CallItem, OutputItem } from "../item-store.ts";

const SUMMARY = "[A summary of the conversation up to here]";

/** Gathers items into messages: what the assistant said and called in one go is one message. */
export class TranscriptBuilder {
  readonly system: string[] = [];
  readonly messages: TranscriptMessage[] = [];
  /** Some of what was said is not here word for word. */
  hasGaps = false;
  #endsWithInstruction = false;

  user(parts: readonly TranscriptPart[]): void {
    this.#endsWithInstruction = false;
    this.messages.push({ role: "user", parts });
  }

  tool(callId: string, parts: readonly TranscriptPart[], isError = false): void {
    this.#endsWithInstruction = false;
    this.messages.push({ role: "tool", callId, parts, isError });
  }

  assistant(text: string, calls: readonly TranscriptCall[] = []): void {
    this.#endsWithInstruction = false;
    const last = this.messages.at(-1);
    if (last?.role !== "assistant") {
      this.messages.push({ role: "assistant", text, calls });
      return;
    }
    const joined = [last.text, text].filter((part) => part !== "").join("\n\n");
    this.messages[this.messages.length - 1] = { ...last, text: joined, calls: [...last.calls, ...calls] };
  }

  instruction(text: string): void {
    this.system.push(text);
    this.#endsWithInstruction = true;
  }

  /** See `asksByInstruction`. */
  askByInstruction(): void {
    if (this.#endsWithInstruction && asksByInstruction(this.messages))
      this.user([{ kind: "text", text: this.system.pop() ?? "" }]);
  }

  /** Replaces everything said before; its calls are no longer known. */
  compaction(summary: string): void {
    this.hasGaps = true;
    this.assistant(`${SUMMARY}\n\n${summary}`);
  }

  /** An item of our own answer; reasoning is not part of a transcript. */
  output(item: OutputItem): void {
    if (item.type === "reasoning") return;
    if (item.type === "message") this.assistant(item.content.map(({ text }) => text).join(""));
    else this.assistant("", [toDoorCall(item)]);
  }
}

function toDoorCall(item: CallItem): TranscriptCall {
  const callId = item.call_id;
  switch (item.type) {
    case "function_call":
      return { callId, name: item.name, input: parseArguments(item.arguments) };
    case "custom_tool_call":
      return { callId, name: item.name, input: item.input };
    case "apply_patch_call":
      return { callId, name: "apply_patch", input: item.operation };
    case "shell_call":
      return { callId, name: "shell", input: item.action };
    case "local_shell_call":
      return { callId, name: "local_shell", input: item.action };
  }
}
