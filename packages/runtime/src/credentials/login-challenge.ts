import { createHash } from "node:crypto";
import { Secret } from "@caret/protocol";

const VERIFIER_BYTES = 32;

export interface LoginChallenge {
  /** The link to open. Contains the challenge, from which the verifier cannot be computed. */
  readonly link: string;
  readonly uuid: string;
  /** Proves that this process made the link. It leaves the process only in the body of a poll. */
  readonly verifier: Secret;
}

interface LoginChallengeOptions {
  readonly website: URL;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly uuid: string;
}

/** The two halves of a PKCE login: a link for the browser, and the verifier that collects the resulting login. */
export function createLoginChallenge({ website, randomBytes, uuid }: LoginChallengeOptions): LoginChallenge {
  const verifier = Buffer.from(randomBytes(VERIFIER_BYTES)).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const link = new URL("/loginDeepControl", website);
  link.search = new URLSearchParams({ challenge, uuid, mode: "login", redirectTarget: "cli" }).toString();
  return { link: link.href, uuid, verifier: new Secret(verifier) };
}
