/** How a response's events are framed on the wire. */
export interface EventFraming {
  /** `json`: the whole event, in one line. */
  event(type: string, json: string): string;
  /** Follows the last event. */
  readonly end: string;
  /** Whether a failure gets a separate event before `response.failed`. */
  readonly namesErrors: boolean;
}

/** Server-sent events, with the end that the published format demands. */
export const sseFraming: EventFraming = {
  event: (type, json) => `event: ${type}\ndata: ${json}\n\n`,
  end: "data: [DONE]\n\n",
  namesErrors: true,
};

/** One line per event, framed when it is read: see `sseOf`. */
export const storedFraming: EventFraming = { event: (_type, json) => `${json}\n`, end: "", namesErrors: true };

/** One line per event, cut into WebSocket messages by `linesOf`. */
export const lineFraming: EventFraming = { event: (_type, json) => `${json}\n`, end: "", namesErrors: false };

/** A line as a server-sent event. Every line begins with its type. */
export function sseOf(line: string): string {
  const [, type = ""] = /^\{"type":"([\w.]+)"/.exec(line) ?? [];
  return sseFraming.event(type, line);
}

export function linesOf(text: string): readonly string[] {
  return text.split("\n").slice(0, -1);
}
