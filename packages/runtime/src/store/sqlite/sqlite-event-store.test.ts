import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeEventStore } from "../event-store.contract.ts";
import { openSqliteEventStore } from "./sqlite-event-store.ts";

describeEventStore("sqlite", async (options) => {
  const directory = mkdtempSync(join(tmpdir(), "caret-store-"));
  return {
    store: openSqliteEventStore({ directory, ...options }),
    dispose: async () => rmSync(directory, { recursive: true }),
  };
});
