import type { LaneName } from "@caret/protocol";

export const laneNamesForPeople: Readonly<Record<LaneName, string>> = {
  cli: "Cursor's CLI",
  acp: "Cursor's CLI over ACP",
  sdk: "Cursor's SDK",
  api: "Cursor's API (unofficial)",
  sim: "Simulator",
};
