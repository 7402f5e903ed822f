import { expect, it } from "vitest";
import { knownSecrets } from "./known-secrets.ts";

const passwordsOf = (store: string): readonly string[] =>
  knownSecrets({ env: {} }, { cli: { env: {} } as never, store }).map((secret) => secret.reveal());

it("knows the password of the store as it is written and as it is meant, also where a percent sign encodes nothing", () => {
  expect([
    passwordsOf("postgres://u:a%2Fb@host/db"),
    passwordsOf("postgres://u:100%@host/db"),
    passwordsOf("postgres://u@host/db"),
  ]).toEqual([["a%2Fb", "a/b"], ["100%", "100%"], []]);
});
