import { CaretError, Secret } from "@caret/protocol";
import { revokeApiKey } from "./account.ts";
import { createControlServer } from "./control-server.ts";
import type { CredentialStore, StoredLogin } from "./credential-store.ts";
import { exchangeKey } from "./exchange-key.ts";

interface LogOutOptions {
  readonly store: CredentialStore;
  readonly fetch: typeof fetch;
}

export interface LogOutSummary {
  /** Whether there was a login. */
  readonly wasLoggedIn: boolean;
  /** Whether the server confirmed revoking the key. */
  readonly revoked: boolean;
  /** Why the key is still valid, if it is. */
  readonly note: string | undefined;
}

/** Deletes all of Caret's stored credentials from this machine, then asks the server to revoke the key. */
export async function logOut({ store, fetch }: LogOutOptions): Promise<LogOutSummary> {
  const login = readLogin(store);
  await store.clear();
  if (login === undefined) return { wasLoggedIn: false, revoked: false, note: undefined };
  try {
    await revokeLogin(login, { fetch });
    return { wasLoggedIn: true, revoked: true, note: undefined };
  } catch (reason) {
    return { wasLoggedIn: true, revoked: false, note: CaretError.from(reason).message };
  }
}

/** Revokes a login's API key. Rejects if that is impossible. */
export async function revokeLogin(login: StoredLogin, { fetch }: Pick<LogOutOptions, "fetch">): Promise<void> {
  if (login.kind === "session")
    throw new CaretError("unsupported", "The login in the browser cannot be ended from here");
  if (login.keyId === undefined)
    throw new CaretError("unsupported", `The server did not list the key ${login.keyName ?? ""} when it was made`);
  const server = createControlServer({ controlUrl: new URL(login.origin), fetch });
  const token = await exchangeKey(server, new Secret(login.secret));
  await revokeApiKey(server, login.keyId, token);
}

/** A damaged file is deleted like any other. */
function readLogin(store: CredentialStore): StoredLogin | undefined {
  try {
    return store.read().login;
  } catch {
    return undefined; // an unreadable key cannot be revoked; the file is deleted anyway
  }
}
