import { expect } from "vitest";
import { eventSchema, type PublishedEvent } from "./published-schema.ts";

type Item = Extract<PublishedEvent, { type: "response.output_item.done" }>["item"];

/**
 * The state machine of a published stream: `created`, `in_progress`, one item after the other from its opening to its end, one terminal
 * event. Checks every event as it arrives, and that the parts, the items and the last response agree with the deltas.
 */
export class StreamModel {
  readonly #items: Item[] = [];
  #count = 0;
  #open: { readonly id: string; readonly type: string; stage: string; text: string } | undefined;
  #last: PublishedEvent | undefined;
  #hasError = false;

  take(value: unknown): void {
    const event = eventSchema.parse(value);
    expect([event.type, event.sequence_number]).toEqual([event.type, this.#count]);
    expect(this.isOver).toBe(false);
    this.#step(event);
    this.#count += 1;
    this.#last = event;
  }

  get isOver(): boolean {
    return /^response\.(completed|incomplete|failed|cancelled)$/.test(this.#last?.type ?? "");
  }

  get text(): string {
    return JSON.stringify(this.#items);
  }

  #step(event: PublishedEvent): void {
    if (this.#count === 0) return expect(event.type).toBe("response.created");
    if (event.type === "response.created") throw new Error("Created twice");
    if (event.type === "response.in_progress") return expect(this.#count).toBe(1);
    // Only the failed response may follow an error.
    if (this.#hasError) expect(event.type).toBe("response.failed");
    if (event.type === "error") {
      expect(this.#open).toBe(undefined);
      this.#hasError = true;
      return undefined;
    }
    if ("response" in event) return this.#end(event);
    if (event.type === "response.output_item.added") return this.#opens(event);
    return this.#goesOn(event);
  }

  #end({ type, response }: Extract<PublishedEvent, { response: unknown }>): void {
    expect([this.#open, `response.${response.status}`, response.output]).toEqual([undefined, type, this.#items]);
  }

  #opens({ output_index, item }: Extract<PublishedEvent, { type: "response.output_item.added" }>): void {
    expect([this.#open, output_index]).toEqual([undefined, this.#items.length]);
    if ("status" in item) expect(item.status).toBe("in_progress");
    // An incomplete item is the last of its response.
    expect(this.#items.some((earlier) => "status" in earlier && earlier.status !== "completed")).toBe(false);
    this.#open = { id: item.id, type: item.type, stage: "added", text: "" };
  }

  #goesOn(
    event: Exclude<PublishedEvent, { response: unknown } | { type: "error" | "response.output_item.added" }>,
  ): void {
    const open = this.#open;
    if (open === undefined) throw new Error(`${event.type} without an open item`);
    expect(event.output_index).toBe(this.#items.length);
    const legal = steps[open.type]?.[open.stage] ?? [];
    expect(legal).toContain(event.type);
    open.stage = event.type;
    if (event.type === "response.output_item.done") {
      expect([event.item.id, event.item.type, wordsOf(event.item) ?? open.text]).toEqual([
        open.id,
        open.type,
        open.text,
      ]);
      this.#items.push(event.item);
      this.#open = undefined;
      return;
    }
    expect(event.item_id).toBe(open.id);
    if ("delta" in event) open.text += event.delta;
    const whole = wholeOf(event);
    if (whole !== undefined) expect(whole).toBe(open.text);
  }
}

function wholeOf(event: object): string | undefined {
  const { text, part, arguments: written, input } = event as Readonly<Record<string, unknown>>;
  const said = text ?? written ?? input ?? (part as { readonly text?: string } | undefined)?.text;
  return typeof said === "string" ? said : undefined;
}

/** Undefined for an item sent whole, without deltas. */
function wordsOf(item: Item): string | undefined {
  if (item.type === "message") return item.content.map(({ text }) => text).join("");
  if (item.type === "reasoning") return item.summary.map(({ text }) => text).join("");
  if (item.type === "function_call") return item.arguments;
  return item.type === "custom_tool_call" ? item.input : undefined;
}

const text = "response.output_text";
const part = "response.content_part";
const summary = "response.reasoning_summary_text";
const summaryPart = "response.reasoning_summary_part";
const end = "response.output_item.done";

const call = (name: string) => ({
  added: [`${name}.delta`],
  [`${name}.delta`]: [`${name}.delta`, `${name}.done`],
  [`${name}.done`]: [end],
});
const whole = { added: [end] };

/** Which events may follow which, for each kind of item. */
const steps: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  message: {
    added: [`${part}.added`],
    [`${part}.added`]: [`${text}.delta`],
    [`${text}.delta`]: [`${text}.delta`, `${text}.done`],
    [`${text}.done`]: [`${part}.done`],
    [`${part}.done`]: [end],
  },
  reasoning: {
    added: [`${summaryPart}.added`],
    [`${summaryPart}.added`]: [`${summary}.delta`],
    [`${summary}.delta`]: [`${summary}.delta`, `${summary}.done`],
    [`${summary}.done`]: [`${summaryPart}.done`],
    [`${summaryPart}.done`]: [end],
  },
  function_call: call("response.function_call_arguments"),
  custom_tool_call: call("response.custom_tool_call_input"),
  local_shell_call: whole,
  shell_call: whole,
  apply_patch_call: whole,
};
