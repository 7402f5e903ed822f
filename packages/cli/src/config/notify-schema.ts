import { z } from "zod";
import { key } from "./key-names.ts";
import { outboundAddress } from "./outbound-schemas.ts";

/** Where to send a notice when something waits for a person. */
export function notifySchema() {
  return z
    .strictObject({
      webhook: z
        .strictObject({
          url: key(
            outboundAddress().optional(),
            "Where the gateway posts that a session waits for a person: its id, title, kind and link. Unset: nowhere.",
            { secret: "all" },
          ),
          secret: key(
            z.string().min(16).optional(),
            "Signs each of them (`x-caret-signature`, HMAC-SHA256), 16 characters or more. Unset: they are not signed.",
            { secret: "all" },
          ),
        })
        .prefault({}),
    })
    .prefault({});
}
