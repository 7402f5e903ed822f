import { z } from "zod";
import { key } from "./key-names.ts";
import { durationMs } from "./number-schemas.ts";
import { argumentList, variableMap } from "./program-schemas.ts";

/** The prefix of the server's tool names, where `__` ends it. */
const serverName = z
  .string()
  .max(32)
  .regex(/^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/, "is not a name of letters, digits, `-` and single `_`");

function serverSchema() {
  return z
    .strictObject({
      command: key(z.string().min(1).optional(), "The program to start; it speaks MCP on its standard streams.", {
        path: "command",
      }),
      args: key(argumentList().default([]), "Its arguments."),
      env: key(variableMap().default({}), "Its environment variables, besides the usual ones.", { secret: "all" }),
      url: key(
        z.url({ protocol: /^https?$/ }).optional(),
        "The address of a server that is reached over HTTP instead.",
      ),
      headers: key(z.record(z.string().min(1), z.string()).default({}), "Headers for it.", { secret: "all" }),
      callTimeoutMs: key(durationMs().optional(), "How long one call may take. Unset: a minute."),
    })
    .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
      error: "needs either command or url",
    });
}

/** The MCP servers whose tools the gateway runs. */
export function mcpSchema() {
  return z
    .strictObject({
      servers: key(
        z.record(serverName, serverSchema()).default({}),
        "MCP servers whose tools, named `<name>__<tool>`, are offered where the gateway runs the tools.",
      ),
    })
    .prefault({});
}
