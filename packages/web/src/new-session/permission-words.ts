import type { PermissionWord } from "@caret/protocol";

/** How much happens without asking, as a person would say it. */
export const permissionTexts: Readonly<Record<PermissionWord, { readonly name: string; readonly means: string }>> = {
  supervised: { name: "Supervised", means: "Reads by itself, and asks you before anything else." },
  "auto-edits": { name: "Auto-edits", means: "Also changes files of the workspace; asks before it runs commands." },
  auto: { name: "Auto", means: "Also runs commands; asks before dangerous ones." },
  full: { name: "Full", means: "Does everything without asking, with Cursor's own tools." },
};
