/** One event of a stream, as a client sees it. */
export interface SseEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** Reads whole events from a response until it ends; comments are dropped. */
export async function* readSse(response: Response): AsyncGenerator<SseEvent> {
  let rest = "";
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) if (!part.startsWith(":")) yield toEvent(part);
  }
}

function toEvent(text: string): SseEvent {
  const fields = new Map(
    text.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  return { id: fields.get("id"), event: fields.get("event"), data: fields.get("data") ?? "" };
}
