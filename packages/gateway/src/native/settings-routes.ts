import { CaretError, type ChangeSettings } from "@caret/protocol";
import { z } from "zod";
import { assertOnThisMachine } from "../access/local-request.ts";
import type { NativeDoorOptions, UserSettings } from "./native-door-options.ts";
import { type NativeApp, read, write } from "./native-routes.ts";

const changeBody = z.object({
  changes: z
    .record(z.string(), z.unknown(), { error: "must be an object" })
    .describe("New values by key; `null` takes a setting out of the file"),
}) satisfies z.ZodType<ChangeSettings>;

/**
 * The gateway's settings. They decide which programs run and who can reach them: only an admin can change them, on the machine they are
 * for, and not through a tunnel.
 */
export function settingsRoutes(native: NativeApp, { settings }: Pick<NativeDoorOptions, "settings">): void {
  read(
    native,
    "/api/settings",
    { summary: "Each setting, its value and where it comes from; secrets are hidden", access: "admin" },
    async ({ request }) => {
      assertOnThisMachine(request.raw);
      return ownSettings(settings).read();
    },
  );
  write(
    native,
    ["PATCH", "/api/settings"],
    { summary: "Change settings in the user's own caret.json", access: "admin", body: changeBody },
    async ({ request, body }) => {
      assertOnThisMachine(request.raw);
      return ownSettings(settings).change(body);
    },
  );
  write(
    native,
    ["POST", "/api/settings/webhook/test"],
    { summary: "Send a test to the webhook of the settings", access: "admin", status: 204 },
    async ({ request }) => {
      assertOnThisMachine(request.raw);
      await ownSettings(settings).testWebhook();
    },
  );
}

function ownSettings(settings: UserSettings | undefined): UserSettings {
  if (settings !== undefined) return settings;
  throw new CaretError("unsupported", "This gateway is a part of another program, which has its settings", {
    fix: "Change them where that program has them.",
  });
}
