import type { NativeWire, RequestOptions, WireRequest } from "./native-wire.ts";

/** Builds a path from arbitrary parts, URL-encoding each. */
export function at(texts: TemplateStringsArray, ...parts: readonly string[]): string {
  return String.raw({ raw: texts }, ...parts.map(encodeURIComponent));
}

export function get<Answer>(wire: NativeWire, path: string, query: object, options?: RequestOptions): Promise<Answer> {
  return wire.send({ ...options, path, query }, readJson<Answer>);
}

export function post<Answer>(wire: NativeWire, path: string, json: object, options?: RequestOptions): Promise<Answer> {
  return wire.send({ ...options, method: "POST", path, json }, readJson<Answer>);
}

export function sendCommand(wire: NativeWire, path: string, json: object, options?: RequestOptions): Promise<void> {
  const request: WireRequest = { ...options, method: "POST", path, json };
  return wire.send(request, readNothing);
}

export async function readJson<Answer>(response: Response): Promise<Answer> {
  return (await response.json()) as Answer;
}

export async function readNothing(response: Response): Promise<void> {
  await response.arrayBuffer();
}
