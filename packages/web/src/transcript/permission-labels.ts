import type { PermissionWord } from "@caret/protocol";

/** The permission words as a person reads them. */
export const permissionLabels: Readonly<Record<PermissionWord, string>> = {
  supervised: "Supervised",
  "auto-edits": "Auto-accept edits",
  auto: "Auto-run commands",
  full: "Full access",
};
