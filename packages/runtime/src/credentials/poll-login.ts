import { CaretError, isJsonObject, parseJson, Secret } from "@caret/protocol";
import type { ControlAnswer, ControlServer } from "./control-server.ts";
import type { LoginChallenge } from "./login-challenge.ts";

const POLL_PATH = "/auth/poll";

/** As in the official clients: about twenty minutes in total. */
const MAX_POLLS = 150;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 10_000;
const GROWTH = 1.2;
const MAX_FAILURES = 3;

/** Tokens from a login in the browser. */
export interface SessionTokens {
  readonly accessToken: Secret;
  readonly refreshToken: Secret;
}

interface PollLoginOptions {
  readonly server: ControlServer;
  readonly challenge: LoginChallenge;
  /** Rejects when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly signal: AbortSignal;
}

/**
 * Polls until the person has logged in. The verifier is sent only in the body of a POST: a server that wants it in the URL, which every
 * proxy logs, is refused. Rejects with `timed-out` if nobody logs in, with `cancelled`, and with the last failure after three failed polls
 * in a row.
 */
export async function pollLogin({ server, challenge, wait, signal }: PollLoginOptions): Promise<SessionTokens> {
  let failures = 0;
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    try {
      const tokens = await askOnce(server, challenge, signal);
      if (tokens !== undefined) return tokens;
      failures = 0;
    } catch (reason) {
      const error = CaretError.from(reason);
      failures += 1;
      if (!error.retryable || failures === MAX_FAILURES) throw error;
    }
    await wait(Math.min(FIRST_DELAY_MS * GROWTH ** poll, MAX_DELAY_MS), signal);
  }
  throw new CaretError("timed-out", "Nobody logged in by the link within twenty minutes", {
    fix: "Run `caret login` again: each link is for one login.",
  });
}

/** Undefined while the person has not logged in. */
async function askOnce(
  server: ControlServer,
  { uuid, verifier }: LoginChallenge,
  signal: AbortSignal,
): Promise<SessionTokens | undefined> {
  const answer = await server.post({
    path: POLL_PATH,
    contentType: "application/json",
    body: JSON.stringify({ uuid, verifier: verifier.reveal() }),
    signal,
  });
  if (answer.status === 200) return readTokens(answer);
  if (answer.status === 405 || (answer.status === 404 && answer.text().includes(POLL_PATH))) throw wantsGet(server);
  if (answer.status === 404) return undefined;
  const isTheirs = answer.status >= 500 || answer.status === 429;
  throw new CaretError("upstream-error", `The server refuses to say whether you logged in (status ${answer.status})`, {
    retryable: isTheirs,
  });
}

function readTokens(answer: ControlAnswer): SessionTokens {
  const value = parseJson(answer.text());
  if (isJsonObject(value) && isToken(value["accessToken"]) && isToken(value["refreshToken"]))
    return { accessToken: new Secret(value["accessToken"]), refreshToken: new Secret(value["refreshToken"]) };
  throw new CaretError("protocol-drift", "The server says that you logged in, but gives no tokens", {
    retryable: false,
  });
}

function isToken(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
}

function wantsGet({ origin }: ControlServer): CaretError {
  return new CaretError("unsupported", `${origin} does not take login polls by POST`, {
    fix: "Log in with an API key instead: by GET, the secret of this login would be in the address, and in logs.",
  });
}
