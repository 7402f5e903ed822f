import { Secret } from "@caret/protocol";
import { createApiCredentials } from "../create-api-credentials.ts";
import { openCredentialStore } from "../credential-store.ts";

/** A separate process that needs tokens: prints how many different ones a hundred concurrent callers received. */
const [controlUrl = "", dataDir = "", key = ""] = process.argv.slice(2);
const credentials = createApiCredentials({
  controlUrl: new URL(controlUrl),
  find: async () => ({ kind: "key", secret: new Secret(key), keep: true, name: "the test", fix: "None." }),
  store: openCredentialStore(dataDir),
  fetch,
  noteSecrets: () => undefined,
  wallClock: Date.now,
});
const { signal } = new AbortController();
const tokens = await Promise.all(Array.from({ length: 100 }, () => credentials.accessToken(signal)));
process.stdout.write(JSON.stringify([...new Set(tokens.map(({ secret }) => secret.reveal()))]));
