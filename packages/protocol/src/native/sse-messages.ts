/** One message of an event stream: its data, and its id where it has one. */
export interface SseMessage {
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Read an event stream: what came whole with one chunk of bytes is one batch, possibly an empty one, so that the reader
 * hears of heartbeats too. A message that was cut off at the end of the stream is dropped, as the standard wants: it
 * comes again after reconnecting.
 */
export async function* sseMessages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly SseMessage[], void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const end = rest.lastIndexOf("\n\n");
    if (end === -1) {
      yield [];
      continue;
    }
    const whole = rest.slice(0, end);
    rest = rest.slice(end + 2);
    yield whole.split("\n\n").flatMap((text) => toMessage(text));
  }
}

function toMessage(text: string): readonly SseMessage[] {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("data:")) data.push(fieldValue(line, "data:"));
    else if (line.startsWith("id:")) id = fieldValue(line, "id:");
  }
  return data.length === 0 ? [] : [{ id, data: data.join("\n") }];
}

function fieldValue(line: string, name: string): string {
  const value = line.slice(name.length);
  return value.startsWith(" ") ? value.slice(1) : value;
}
