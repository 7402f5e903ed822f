import { z } from "zod";

const KEY_ARGUMENT = /^--(?:api-key|auth-token)(?:=|$)/;
const NUL = "\0";

/** Arguments of a program. A key among them would be readable by every process of the machine. */
export function argumentList() {
  return z
    .array(z.string().refine((word) => !word.includes(NUL), "must not contain a NUL character"))
    .refine((words) => !words.some((word) => KEY_ARGUMENT.test(word)), {
      error: "must not carry a key: arguments are readable by every process. Use `profiles` instead",
    });
}

export function variableMap() {
  return z.record(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not the name of an environment variable"),
    z.string().refine((value) => !value.includes(NUL), "must not contain a NUL character"),
  );
}
