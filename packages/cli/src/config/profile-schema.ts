import { z } from "zod";
import { key } from "./key-traits.ts";

const ways = ["apiKeyFile", "apiKeyCommand", "configDir"] as const;

/** One way to log in. The key itself is never in the configuration: only where it is found. */
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
