import type { StartedServer } from "../../server/testing/start-server.ts";

export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request as a program would, with the token of that name, and reads the whole answer. */
export async function callNative(
  { url }: StartedServer,
  method: string,
  path: string,
  { token = "boss", body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answered & { readonly headers: Headers }> {
  const hasBody = method === "POST" || method === "PATCH";
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    ...(hasBody ? { body: typeof body === "string" ? body : JSON.stringify(body ?? {}) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : parse(text), headers: response.headers };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
