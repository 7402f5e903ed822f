import type { PermissionWord } from "@caret/protocol";

/** How much happens without asking, as a person would say it. */
export const permissionMeanings: Readonly<Record<PermissionWord, string>> = {
  supervised: "Reads by itself, and asks you before anything else.",
  "auto-edits": "Also changes files of the workspace; asks before it runs commands.",
  auto: "Also runs commands; asks before dangerous ones.",
  full: "Does everything without asking, with Cursor's own tools.",
};

/** The permission words as a person reads them. */
export const permissionLabels: Readonly<Record<PermissionWord, string>> = {
  supervised: "Supervised",
  "auto-edits": "Auto-accept edits",
  auto: "Auto-run commands",
  full: "Full access",
};
