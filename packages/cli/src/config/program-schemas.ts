import { z } from "zod";
import { key } from "./key-names.ts";
import { durationMs } from "./number-schemas.ts";

const ways = ["apiKeyFile", "apiKeyCommand", "configDir"] as const;

const KEY_ARGUMENT = /^--(?:api-key|auth-token)(?:=|$)/;
const NUL = "\0";

/** A program's arguments. Keys are refused: any process on the machine could read them. */
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

/** A model with its own program, written as in an `openclaw.json`. */
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

/** One way to log in. The configuration never holds the key itself, only where to find it. */
export function profileSchema() {
  return z
    .strictObject({
      apiKeyFile: key(
        z.string().min(1).optional(),
        "A file that holds the API key; it must be yours alone (`chmod 600`).",
        { path: "file" },
      ),
      apiKeyCommand: key(
        z.array(z.string()).min(1).optional(),
        "A program and its arguments that print the API key, started without a shell.",
        { secret: "arguments" },
      ),
      configDir: key(z.string().min(1).optional(), "A configuration directory in which the agent is logged in.", {
        path: "file",
      }),
    })
    .refine((profile) => ways.some((way) => profile[way] !== undefined), {
      error: `needs one of ${ways.join(", ")}`,
    })
    .refine(({ apiKeyFile, apiKeyCommand }) => apiKeyFile === undefined || apiKeyCommand === undefined, {
      error: "has both apiKeyFile and apiKeyCommand: keep one",
    });
}
