import { foreignPrograms } from "@caret/runtime";
import { z } from "zod";
import { key } from "./key-names.ts";

/** The lane that speaks Cursor's own protocol. */
export function apiSchema() {
  return z
    .strictObject({
      url: key(
        z.url().optional(),
        "Where the `api` lane sends turns: a host of Cursor's over https, or this machine. Unset: `PI_CURSOR_AGENT_URL`, " +
          "`CURSOR_AGENT_URL`, what Cursor's CLI was given, what the server says, else Cursor's default.",
      ),
      httpVersion: key(
        z.enum(["auto", "2", "1.1"]).default("auto"),
        "The HTTP of the `api` lane. `auto`: what the server's settings demand, else HTTP/2 where the server speaks it.",
      ),
      bridge: key(
        z.boolean().optional(),
        "Let a Node process of its own make the HTTP/2 requests of the `api` lane. Unset: only where Caret does not run on " +
          "Node itself.",
      ),
      caFile: key(
        z.string().min(1).optional(),
        "A file of certificates (PEM) that the `api` lane trusts besides the usual ones, for a server of one's own.",
        { path: "file" },
      ),
      readLogins: key(
        z.array(z.enum(foreignPrograms)).default([]),
        "Logins of Cursor's own programs that the `api` lane may read when it has none of its own: `cli`, `sdk`. They are " +
          "used as they are: never copied, never refreshed.",
      ),
    })
    .prefault({});
}
