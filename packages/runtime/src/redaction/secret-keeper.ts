import type { Secret } from "@caret/protocol";
import { createRedactor, type Redactor } from "./redactor.ts";

/** Collects secrets that become known while Caret runs, so one redactor knows them all. */
export interface SecretKeeper {
  add(secrets: readonly Secret[]): void;
  redactor(): Redactor;
}

export function createSecretKeeper(secrets: readonly Secret[] = []): SecretKeeper {
  const known = new Map<string, Secret>();
  let redactor: Redactor | undefined;
  const add = (more: readonly Secret[]): void => {
    for (const secret of more) {
      if (known.has(secret.reveal())) continue;
      known.set(secret.reveal(), secret);
      redactor = undefined;
    }
  };
  add(secrets);
  return {
    add,
    redactor() {
      redactor ??= createRedactor({ secrets: [...known.values()] });
      return redactor;
    },
  };
}
