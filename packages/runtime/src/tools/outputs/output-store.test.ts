import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createOutputStore, type OutputStore } from "./output-store.ts";

const KIB = 1024;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "outputs-test-"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function keep(store: OutputStore, text: string): Promise<string> {
  return /handle "([^"]+)"/.exec(await store.cap(text))?.[1] ?? "not kept";
}

it("keeps what others may not read", async () => {
  const store = createOutputStore({ parentDir: directory });
  const handle = await keep(store, "x".repeat(100 * KIB));
  const [made = ""] = readdirSync(directory);
  const modes = [join(directory, made), join(directory, made, handle)].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
  await store.close();
});

it("forgets the oldest output when there are too many bytes", async () => {
  const store = createOutputStore({ parentDir: directory, maxTotalBytes: 250 * KIB });
  const handles = [];
  for (const letter of ["a", "b", "c"]) handles.push(await keep(store, letter.repeat(100 * KIB)));
  const texts = handles.map((handle) =>
    store.read(handle, 0, 3).then(
      ({ text }) => text,
      (reason: Error) => reason.message,
    ),
  );
  expect(await Promise.all(texts)).toEqual([
    "No output is stored under this handle: it is wrong, or the output was evicted",
    "bbb",
    "ccc",
  ]);
  await store.close();
});

it("keeps only the beginning of an endless output, and says so", async () => {
  const store = createOutputStore({ parentDir: directory, maxEntryBytes: 70 * KIB });
  const collector = store.collect();
  for (let chunk = 0; chunk < 200; chunk += 1) await collector.push(Buffer.alloc(KIB, "z"));
  const shown = await collector.finish();
  expect(shown).toContain("the output has 204800 bytes");
  expect(shown).toContain("To read the first 71680 bytes");
  await store.close();
});

it("never cuts a character, and comes to an end even in a broken one", async () => {
  const store = createOutputStore({ parentDir: directory });
  const collector = store.collect();
  const bytes = Buffer.concat([Buffer.from("€".repeat(30_000)), Buffer.from([0xe2, 0x82])]);
  await collector.push(bytes);
  const handle = /handle "([^"]+)"/.exec(await collector.finish())?.[1] ?? "";
  expect(await store.read(handle, 1, 10)).toEqual({ text: "€€", start: 3, end: 9, totalBytes: 90_002 });
  expect(await store.read(handle, 89_997, 10)).toEqual({
    text: "€\uFFFD",
    start: 89_997,
    end: 90_002,
    totalBytes: 90_002,
  });
  await store.close();
});
