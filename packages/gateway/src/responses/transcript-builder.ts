import type { DoorCall, DoorMessage, DoorPart } from "../door/door-request.ts";
import { parseArguments } from "../openai/parse-arguments.ts";
import type { OutputItem } from "./output-item.ts";

/** Gathers items into messages: what the assistant said and called in one go is one message. */
export class TranscriptBuilder {
  readonly system: string[] = [];
  readonly messages: DoorMessage[] = [];

  user(parts: readonly DoorPart[]): void {
    this.messages.push({ role: "user", parts });
  }

  tool(callId: string, parts: readonly DoorPart[]): void {
    this.messages.push({ role: "tool", callId, parts, isError: false });
  }

  assistant(text: string, calls: readonly DoorCall[] = []): void {
    const last = this.messages.at(-1);
    if (last?.role !== "assistant") {
      this.messages.push({ role: "assistant", text, calls });
      return;
    }
    const joined = [last.text, text].filter((part) => part !== "").join("\n\n");
    this.messages[this.messages.length - 1] = { ...last, text: joined, calls: [...last.calls, ...calls] };
  }

  /** Something we answered ourselves; reasoning is no part of a transcript. */
  output(item: OutputItem): void {
    if (item.type === "message") this.assistant(item.content.map(({ text }) => text).join(""));
    if (item.type !== "function_call") return;
    this.assistant("", [{ callId: item.call_id, name: item.name, input: parseArguments(item.arguments) }]);
  }
}
