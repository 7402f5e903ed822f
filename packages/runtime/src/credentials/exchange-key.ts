import { CaretError, isJsonObject, parseJson, Secret } from "@caret/protocol";
import type { ControlAnswer, ControlServer } from "./control-server.ts";

const EXCHANGE_PATH = "/auth/exchange_user_api_key";

/** Gets an access token for an API key or a login's refresh token. The key itself is never sent with a turn. */
export async function exchangeKey(server: ControlServer, key: Secret, signal?: AbortSignal): Promise<Secret> {
  const answer = await server.post({
    path: EXCHANGE_PATH,
    bearer: key,
    contentType: "application/json",
    body: "{}",
    signal,
  });
  if (answer.status !== 200) throw refusal(server, answer);
  const value = parseJson(answer.text());
  const token = isJsonObject(value) ? value["accessToken"] : undefined;
  if (typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) return new Secret(token);
  throw new CaretError("protocol-drift", `${server.origin} took the key, but gave no access token for it`);
}

/** Omits the response's own words: a server may quote what it was sent. */
function refusal({ origin }: ControlServer, { status, headers }: ControlAnswer): CaretError {
  if (status === 401 || status === 403) return new CaretError("bad-key", `${origin} does not accept the key`);
  if (status === 404)
    return new CaretError("bad-key", `${origin} exchanges no keys`, {
      fix: "Check which server is set: a key is valid only where it was made.",
    });
  if (status === 429) {
    const after = headers.get("retry-after");
    const fix = after === null || !/^\d+$/.test(after) ? {} : { fix: `Try again in ${after} seconds.` };
    return new CaretError("rate-limited", `${origin} was asked for too many tokens`, fix);
  }
  if (status >= 500) return new CaretError("upstream-unreachable", `${origin} cannot exchange keys now (${status})`);
  return new CaretError("upstream-error", `${origin} does not exchange the key (status ${status})`);
}
