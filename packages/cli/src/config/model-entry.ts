import { z } from "zod";
import { key } from "./key-traits.ts";
import { durationMs } from "./number-schemas.ts";
import { argumentList } from "./program-schemas.ts";

/** A model with a program of its own, written as in an `openclaw.json`. */
export function modelEntrySchema() {
  return z.strictObject({
    provider: key(z.string().min(1).default("cursor-agent-cli"), "Who answers for this model."),
    command: key(z.string().min(1).optional(), "The program. Unset: that of `cli.command`, run as Cursor's CLI.", {
      path: "command",
    }),
    args: key(
      argumentList().default([]),
      "Its arguments. Without a `command`, `cli.args` come before them, and print mode is asked for if they do not.",
    ),
    promptAsArg: key(
      z.boolean().default(false),
      "True: the prompt is the last argument, as Cursor's CLI takes it. False: the `command` reads one turn, as a line " +
        "of JSON, from standard input; without a `command`, Cursor's CLI gets the prompt there.",
    ),
    timeoutMs: key(durationMs().optional(), "How long a turn may last in all. Unset: `clocks.turnMs`."),
    authProfiles: key(z.array(z.string().min(1)).default([]), "The profiles to log in with, the preferred one first."),
    fallbackModels: key(z.array(z.string().min(1)).default([]), "The models to try when this one fails, in order."),
    enabled: key(z.boolean().default(true), "False: the entry is kept but never used."),
  });
}
