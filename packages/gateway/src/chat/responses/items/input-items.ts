import { invalidRequest } from "../../../http/read-body.ts";
import type { KeptResponse, OutputItem } from "../item-store.ts";
import type { ResponsesBody } from "../request.ts";
import { type Item, typeOf } from "./read-input.ts";

/** An item of a request or an answer, as the published API lists it: with an id, and with its content as parts. */
export interface InputItem {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Prefixes of OpenAI's ids that differ from the type. */
const prefixes: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  compaction: "cmp",
};

interface ItemSources {
  readonly newId: () => string;
  findItem(id: string): OutputItem | undefined;
}

/** A request's input, item by item. References are resolved to their items. */
export function toInputItems(input: ResponsesBody["input"], { newId, findItem }: ItemSources): readonly InputItem[] {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : (input ?? []);
  return items.map((item, index) => {
    const type = typeOf(item, `input[${index}]`);
    const { id: given } = item as { readonly id?: unknown };
    const id = typeof given === "string" && given !== "" ? given : `${prefixes[type] ?? "item"}_${newId()}`;
    const referred = type === "item_reference" ? findItem(id) : undefined;
    if (referred !== undefined) return { ...referred };
    return type === "message" ? toMessageItem(item, id) : { status: "completed", ...item, id, type };
  });
}

function toMessageItem({ role, content, ...item }: Item, id: string): InputItem {
  const text = { type: role === "assistant" ? "output_text" : "input_text", text: content };
  const parts = typeof content === "string" ? [role === "assistant" ? { ...text, annotations: [] } : text] : content;
  return { status: "completed", ...item, id, type: "message", role, content: parts ?? [] };
}

/**
 * All that a response went on from, oldest first: its request's input, after the responses it continued. Each item gets a unique id,
 * because a page begins after one: clients repeat what they were answered.
 */
export function itemsBefore(chain: readonly KeptResponse[]): readonly InputItem[] {
  const items = chain.flatMap(({ input = [], output }, index) =>
    index === chain.length - 1 ? input : [...input, ...output.map((item): InputItem => ({ ...item }))],
  );
  const given = new Set(items.map(({ id }) => id));
  const repeats = new Map<string, number>();
  return items.map((item) => {
    let count = (repeats.get(item.id) ?? 0) + 1;
    while (count > 1 && given.has(`${item.id}_${count}`)) count += 1;
    repeats.set(item.id, count);
    return count === 1 ? item : { ...item, id: `${item.id}_${count}` };
  });
}

export interface ItemQuery {
  readonly limit?: number | undefined;
  readonly order?: "asc" | "desc" | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

const DEFAULT_LIMIT = 20;

/** One page of a list, as OpenAI's clients request them. */
export function pageOf(items: readonly InputItem[], { limit = DEFAULT_LIMIT, order = "desc", ...cursors }: ItemQuery) {
  const ordered = order === "asc" ? items : items.toReversed();
  const from = cursors.after === undefined ? 0 : indexOf(ordered, cursors.after, "after") + 1;
  const to = cursors.before === undefined ? ordered.length : indexOf(ordered, cursors.before, "before");
  const range = ordered.slice(from, to);
  const data = range.slice(0, limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: data.length < range.length,
  } as const;
}

function indexOf(items: readonly InputItem[], id: string, field: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index === -1) throw invalidRequest(`${field}: there is no item ${JSON.stringify(id.slice(0, 100))} in the list`);
  return index;
}
