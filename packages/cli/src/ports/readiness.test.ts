import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import type { OpenedEngine } from "../engine/compose.ts";
import { version } from "../host/program.ts";
import { assertDirectoryWritable, readinessOf } from "./readiness.ts";

const opened = { lane: "sim", probe: { ready: async () => undefined }, lanes: new Map() } as unknown as OpenedEngine;

it("says why nothing can be written, and that it is not ready", async () => {
  const full = readinessOf(opened, () => Promise.reject(new CaretError("storage-full", "The disk is full")));
  expect(await full()).toMatchObject({ version, storage: { ready: false, detail: "The disk is full" } });
});

it("finds a data directory that can be written, and one that is gone", async () => {
  const directory = mkdtempSync(join(tmpdir(), "caret-readiness-"));
  await assertDirectoryWritable(directory);
  rmSync(directory, { recursive: true });
  await expect(assertDirectoryWritable(directory)).rejects.toThrow("ENOENT");
});
