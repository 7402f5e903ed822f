import { readFileSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import { z } from "zod";
import type { GatewayLock } from "../gateway/gateway-lock.ts";

const PATIENCE_MS = 5_000;
const linkSchema = z.object({ url: z.string(), expiresAt: z.number() });

export type Link = z.infer<typeof linkSchema>;

/** Requests a link that signs one browser in. Rejects if the gateway does not answer or has no token for us. */
export async function askForLink(gateway: GatewayLock): Promise<Link> {
  const response = await fetch(new URL("/api/links", gateway.url), {
    method: "POST",
    headers: { authorization: `Bearer ${readToken(gateway)}`, "content-type": "application/json" },
    body: "{}",
    redirect: "error",
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((cause: unknown) => {
    throw noGateway(`The gateway at ${gateway.url} does not answer`, cause);
  });
  if (response.status === 401) throw noToken("The token of this gateway was revoked");
  const made = linkSchema.safeParse(await response.json().catch(() => undefined));
  if (made.success) return made.data;
  throw new CaretError("upstream-error", `The gateway at ${gateway.url} gives no links (status ${response.status})`, {
    fix: "Restart it: it may be of another version.",
  });
}

/** The token a gateway of the same user keeps for its clients; undefined if it cannot be read. */
export function tokenOf(gateway: GatewayLock): string | undefined {
  try {
    return readToken(gateway);
  } catch {
    return undefined; // the request that needs the token reports why
  }
}

function readToken({ tokenFile }: GatewayLock): string {
  if (tokenFile === null) throw noToken("The gateway has no token of its own");
  try {
    return readFileSync(tokenFile, "utf8").trim();
  } catch (cause) {
    throw noToken(`The token in ${tokenFile} cannot be read`, cause);
  }
}

export function noGateway(message: string, cause?: unknown): CaretError {
  return new CaretError("not-found", message, { cause, fix: "Start one with `caret serve`." });
}

function noToken(message: string, cause?: unknown): CaretError {
  const fix = "Make one with `caret token create <name> --scope admin` and ask `POST /api/links` with it.";
  return new CaretError("unauthenticated", message, { cause, fix });
}
