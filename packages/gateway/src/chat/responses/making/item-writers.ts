import {
  type CallItem,
  type MessageItem,
  type OutputItem,
  outputText,
  type ReasoningItem,
  summaryText,
} from "../item-store.ts";

/** Writes one event; `fields` is the inside of its JSON object. */
export type WriteEvent = (type: string, fields: string) => string;

interface Place {
  readonly id: string;
  readonly index: number;
}

/** An item written piece by piece: opening, deltas, end. */
export interface ItemWriter {
  open(): string;
  delta(text: string): string;
  close(status: "completed" | "incomplete"): { readonly text: string; readonly item: OutputItem };
}

/** An assistant's message: `added`, its single part, text deltas, and the `done` of each. */
export function createMessageWriter(write: WriteEvent, { id, index }: Place): ItemWriter {
  const where = `"item_id":${JSON.stringify(id)},"output_index":${index},"content_index":0`;
  let text = "";
  const toItem = (status: MessageItem["status"], content: MessageItem["content"]): MessageItem => ({
    id,
    type: "message",
    status,
    role: "assistant",
    content,
  });
  return {
    open: () =>
      write("response.output_item.added", itemFields(index, toItem("in_progress", []))) +
      write("response.content_part.added", `${where},"part":${JSON.stringify(outputText(""))}`),
    delta(more) {
      text += more;
      return write("response.output_text.delta", `${where},"delta":${JSON.stringify(more)},"logprobs":[]`);
    },
    close(status) {
      const part = outputText(text);
      const item = toItem(status, [part]);
      return {
        item,
        text:
          write("response.output_text.done", `${where},"text":${JSON.stringify(text)},"logprobs":[]`) +
          write("response.content_part.done", `${where},"part":${JSON.stringify(part)}`) +
          write("response.output_item.done", itemFields(index, item)),
      };
    },
  };
}

/** Thinking, as the summary of a reasoning item: the form that clients show. */
export function createReasoningWriter(write: WriteEvent, { id, index }: Place): ItemWriter {
  const where = `"item_id":${JSON.stringify(id)},"output_index":${index},"summary_index":0`;
  let text = "";
  const toItem = (summary: ReasoningItem["summary"]): ReasoningItem => ({ id, type: "reasoning", summary });
  return {
    open: () =>
      write("response.output_item.added", itemFields(index, toItem([]))) +
      write("response.reasoning_summary_part.added", `${where},"part":${JSON.stringify(summaryText(""))}`),
    delta(more) {
      text += more;
      return write("response.reasoning_summary_text.delta", `${where},"delta":${JSON.stringify(more)}`);
    },
    close() {
      const part = summaryText(text);
      const item = toItem([part]);
      return {
        item,
        text:
          write("response.reasoning_summary_text.done", `${where},"text":${JSON.stringify(text)}`) +
          write("response.reasoning_summary_part.done", `${where},"part":${JSON.stringify(part)}`) +
          write("response.output_item.done", itemFields(index, item)),
      };
    },
  };
}

/** A call is known whole, so it opens, states its input and closes at once. */
export function writeCall(write: WriteEvent, index: number, item: CallItem): string {
  const where = `"item_id":${JSON.stringify(item.id)},"output_index":${index}`;
  const added = (opening: object): string =>
    write("response.output_item.added", `"output_index":${index},"item":${JSON.stringify(opening)}`);
  // A function, since events are numbered in the order of writing, and this one comes last.
  const done = (): string => write("response.output_item.done", itemFields(index, item));
  const opening = { ...item, status: "in_progress" } as const;
  if (item.type === "function_call") {
    const text = JSON.stringify(item.arguments);
    const named = `"name":${JSON.stringify(item.name)},"arguments":${text}`;
    return (
      added({ ...opening, arguments: "" }) +
      write("response.function_call_arguments.delta", `${where},"delta":${text}`) +
      write("response.function_call_arguments.done", `${where},${named}`) +
      done()
    );
  }
  if (item.type !== "custom_tool_call") return added(opening) + done();
  const text = JSON.stringify(item.input);
  return (
    added({ ...opening, input: "" }) +
    write("response.custom_tool_call_input.delta", `${where},"delta":${text}`) +
    write("response.custom_tool_call_input.done", `${where},"input":${text}`) +
    done()
  );
}

function itemFields(index: number, item: OutputItem): string {
  return `"output_index":${index},"item":${JSON.stringify(item)}`;
}
