import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { barSize } from "../../../testing/bar-size.ts";
import type { ToolEditor } from "../../../tools/tool-editor.ts";
import { createNativeBench, type NativeBench, type NativeRun } from "../testing/native-bench.ts";

let bench: NativeBench;
beforeEach(() => {
  bench = createNativeBench();
});
afterEach(() => bench.close());

let calls = 0;
const newCall = (): string => {
  calls += 1;
  return `call-${calls}`;
};

/** What upstream reads: text or bytes as they came, or the name of the refusal. */
async function read(
  run: NativeRun,
  name: string,
  more: { offset?: number; limit?: number; encodingHint?: string } = {},
) {
  const value = { path: bench.path(name), toolCallId: newCall(), ...more };
  const { case: kind, value: answer } = await run.exec({ case: "readArgs", value });
  if (kind !== "readResult") throw new Error(`${kind}`);
  const { result } = answer;
  return result.case === "success" ? result.value : `${result.case}`;
}

async function write(
  run: NativeRun,
  name: string,
  content: { fileText: string } | { fileBytes: Uint8Array },
  more = {},
) {
  const value = { path: bench.path(name), toolCallId: newCall(), ...content, ...more };
  const { case: kind, value: answer } = await run.exec({ case: "writeArgs", value });
  if (kind !== "writeResult") throw new Error(`${kind}`);
  const { result } = answer;
  return result.case === "success" ? result.value : `${result.case}`;
}

async function remove(run: NativeRun, name: string) {
  const value = { path: bench.path(name), toolCallId: newCall() };
  const { case: kind, value: answer } = await run.exec({ case: "deleteArgs", value });
  if (kind !== "deleteResult") throw new Error(`${kind}`);
  return answer.result;
}

const line = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("", " ", "[The file is empty.]", "[There is more: continue with offset 2001.]", "naïve – 漢字 🙂"),
);
const feed = fc.constantFrom("\n", "\r\n", "\r");
const mixed = fc
  .array(fc.tuple(line, feed), { maxLength: 30 })
  .map((lines) => lines.map(([text, end]) => `${text}${end}`).join(""));
const text = fc.tuple(fc.constantFrom("", "\ufeff"), mixed, line).map((parts) => parts.join(""));

/** Files that people have, and files that nobody should have. */
const fileBytes: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 6, arbitrary: text.map((content) => Buffer.from(content.toWellFormed())) },
  { weight: 2, arbitrary: text.map((content) => Buffer.from(content, "latin1")) },
  { weight: 2, arbitrary: text.map((content) => Buffer.from(`\ufeff${content}`, "utf16le")) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 2_001, max: 50_000 }), feed, fc.boolean())
      .map(([count, end, isOpen]) =>
        Buffer.from(Array.from({ length: count }, (_, at) => `line ${at}`).join(end) + (isOpen ? "" : end)),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 8_193, max: 100_000 }), fc.constantFrom("x", "é", "🙂"))
      .map(([length, letter]) => Buffer.from(`short\n${letter.repeat(length)}\nlast`)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(Buffer.alloc(0), Buffer.from("\n"), Buffer.from("\0"), Buffer.from("a\0b\n")),
  },
);

/** How Cursor's server edits: it reads a file and has all of it written with a change somewhere. */
async function edit(run: NativeRun, name: string, before: Buffer): Promise<Buffer> {
  const file = await read(run, name);
  if (typeof file === "string") throw new Error(file);
  const { output, truncated, fileSize, rangeApplied } = file;
  const isText = output.case === "content";
  const given = Buffer.from(output.value ?? "");
  expect({ given: given.equals(before), truncated, fileSize, rangeApplied }).toEqual({
    given: true,
    truncated: false,
    fileSize: BigInt(before.length),
    rangeApplied: false,
  });
  const after = Buffer.concat([given.subarray(0, given.length), Buffer.from("// changed")]);
  const written = await write(run, name, isText ? { fileText: after.toString() } : { fileBytes: after });
  if (typeof written === "string") throw new Error(written);
  return after;
}

describe("files that the upstream edits by the gateway's tools", () => {
  it("hold exactly what it meant them to hold, whatever they are", { timeout: 600_000 }, async () => {
    const files = fc.sample(fileBytes, { numRuns: barSize({ quick: 30, full: 1_000 }), seed: 30 });
    let spoilt: readonly number[] = [];
    await bench.play(async (run) => {
      for (const [index, before] of files.entries()) {
        writeFileSync(bench.path("file"), before);
        const after = await edit(run, "file", before);
        if (!readFileSync(bench.path("file")).equals(after)) spoilt = [...spoilt, index];
        const { case: outcome } = await remove(run, "file");
        expect(outcome).toBe("success");
      }
    });
    expect(spoilt).toEqual([]);
  });

  it("are all written by a patch over several of them, under one call", async () => {
    const contents = fc.sample(fc.uniqueArray(fc.tuple(fc.nat(5), fileBytes), { minLength: 2, maxLength: 5 }), {
      numRuns: barSize({ quick: 3, full: 50 }),
      seed: 31,
    });
    await bench.play(async (run) => {
      for (const patch of contents) {
        const toolCallId = newCall();
        const meant = new Map<string, Buffer>();
        for (const [at, bytes] of patch) {
          const path = bench.path(`file-${at}`);
          const answer = await run.exec({ case: "writeArgs", value: { path, toolCallId, fileBytes: bytes } });
          expect(answer).toMatchObject({ value: { result: { case: "success" } } });
          meant.set(path, bytes);
          const back = await run.exec({ case: "readArgs", value: { path, toolCallId } });
          expect(Buffer.from(contentOf(back)).equals(bytes)).toBe(true);
        }
        for (const [path, bytes] of meant) expect(readFileSync(path).equals(bytes)).toBe(true);
      }
    });
  });

  it("are written once when a resumed stream asks again, and read again each time", async () => {
    writeFileSync(bench.path("read.txt"), "before");
    let seen: readonly unknown[] = [];
    await bench.play(async (run, index) => {
      const readArgs = { path: bench.path("read.txt"), toolCallId: "call-r" };
      const writeArgs = { path: bench.path("write.txt"), toolCallId: "call-w", fileText: "first\n" };
      seen = [...seen, contentOf(await run.exec({ case: "readArgs", value: readArgs }))];
      seen = [...seen, (await run.exec({ case: "writeArgs", value: writeArgs })).case];
      if (index > 0) return;
      // A person changes both in the meantime: a second write would undo that.
      writeFileSync(bench.path("read.txt"), "after");
      writeFileSync(bench.path("write.txt"), "a person's\n");
      run.scripted.send({ case: "conversationCheckpointUpdate", value: {} });
      run.scripted.update({ case: "textDelta", value: { text: "Half " } });
      await new Promise(setImmediate);
      run.scripted.stream.session?.destroy();
      await run.scripted.closed;
    });
    expect([seen, readFileSync(bench.path("write.txt"), "utf8")]).toEqual([
      ["before", "writeResult", "after", "writeResult"],
      "a person's\n",
    ]);
  });

  it("are written once by operations without a call, too, and twice where that was asked for", async () => {
    const append = { case: "piBashArgs", value: { command: "echo paid >> ledger" } } as const;
    await bench.play(async (run, index) => {
      if (index === 0) {
        await run.exec(append);
        run.scripted.send({ case: "conversationCheckpointUpdate", value: {} });
      }
      // Twice after the checkpoint; the resumed stream asks for both again, and for a third.
      await run.exec(append);
      await run.exec(append);
      if (index > 0) return void (await run.exec(append));
      await new Promise(setImmediate);
      run.scripted.stream.session?.destroy();
      await run.scripted.closed;
    });
    expect(readFileSync(bench.path("ledger"), "utf8")).toBe("paid\n".repeat(4));
  });

  it("keep their modes and links", async () => {
    writeFileSync(bench.path("run.sh"), "#!/bin/sh\n");
    chmodSync(bench.path("run.sh"), 0o751);
    symlinkSync("run.sh", bench.path("link"));
    await bench.play(async (run) => {
      await write(run, "link", { fileText: "#!/bin/sh\r\ntrue" });
    });
    const { mode } = lstatSync(bench.path("run.sh"));
    expect([
      mode & 0o7777,
      lstatSync(bench.path("link")).isSymbolicLink(),
      readFileSync(bench.path("run.sh"), "utf8"),
    ]).toEqual([0o751, true, "#!/bin/sh\r\ntrue"]);
  });
});

describe("a file that is open in an editor", () => {
  /** Buffers by path; `fails` makes the next reads fail. */
  function openEditor(buffers: Map<string, string>) {
    const state = { fails: 0 };
    const editor: ToolEditor = {
      async readText(path) {
        if (state.fails > 0) {
          state.fails -= 1;
          return { failed: "busy" };
        }
        const text = buffers.get(path) ?? (existsSync(path) ? readFileSync(path, "utf8") : undefined);
        return text === undefined ? { failed: "no such file" } : { text };
      },
      async writeText(path, text) {
        buffers.set(path, text);
        return true;
      },
      run: async () => undefined,
    };
    return { editor, state };
  }

  it("is read with what is not saved, written there, and left alone while the editor fails", async () => {
    writeFileSync(bench.path("file"), "saved\n");
    writeFileSync(bench.path("binary"), Buffer.from([0, 255, 0]));
    const buffers = new Map([[bench.path("file"), "unsaved\n"]]);
    const { editor, state } = openEditor(buffers);
    const seen: unknown[] = [];
    const play = async (run: NativeRun): Promise<void> => {
      const shown = async (name: string): Promise<unknown> => {
        const file = await read(run, name);
        return typeof file === "string" ? file : file.output.value;
      };
      seen.push(await shown("file"), Buffer.from((await shown("binary")) as Uint8Array).toString("hex"));
      state.fails = 2;
      seen.push(await shown("file"));
      state.fails = 2;
      seen.push(await write(run, "file", { fileText: "lost" }), buffers.get(bench.path("file")));
      await write(run, "file", { fileText: "unsaved\r\nand more" });
      await write(run, "new", { fileText: "new" });
      await write(run, "binary", { fileBytes: Uint8Array.of(1, 0, 254) });
    };
    await bench.play(play, { editor });
    expect([seen, [...buffers], readFileSync(bench.path("file"), "utf8"), readFileSync(bench.path("binary"))]).toEqual([
      ["unsaved\n", "00ff00", "error", "error", "unsaved\n"],
      [
        [bench.path("file"), "unsaved\r\nand more"],
        [bench.path("new"), "new"],
      ],
      "saved\n",
      Buffer.from([1, 0, 254]),
    ]);
  });
});

it("text that an editor has open is its text, whatever the file is encoded in; any other is encoded on the disk", async () => {
  const [open, closed, half] = ["open", "closed", "half"].map((name) => bench.path(name)) as [string, string, string];
  writeFileSync(open, Buffer.from("caf\xe9", "latin1"));
  writeFileSync(closed, Buffer.from("caf\xe9", "latin1"));
  const buffers = new Map([
    [open, "café, unsaved"],
    [half, "\ud800"],
  ]);
  const editor: ToolEditor = {
    async readText(path) {
      const text = buffers.get(path);
      return text === undefined ? { failed: "not open" } : { text };
    },
    async writeText(path, text) {
      if (buffers.has(path)) buffers.set(path, text);
      return buffers.has(path);
    },
    run: async () => undefined,
  };
  const seen: unknown[] = [];
  const encodingHint = "iso-8859-1";
  await bench.play(
    async (run) => {
      for (const name of ["open", "closed", "half"]) {
        const answer = await run.exec({ case: "readArgs", value: { path: bench.path(name), encodingHint } });
        const { result } = answer.value as { result: { case: string; value: { output?: { value: unknown } } } };
        seen.push([result.case, result.value.output?.value]);
      }
      for (const name of ["open", "closed"])
        await run.exec({ case: "writeArgs", value: { path: bench.path(name), fileText: "thé", encodingHint } });
    },
    { editor },
  );
  expect([seen, buffers.get(open), readFileSync(open, "latin1"), readFileSync(closed, "latin1")]).toEqual([
    [
      ["success", "café, unsaved"],
      ["success", "café"],
      ["error", undefined],
    ],
    "thé",
    "caf\xe9",
    "th\xe9",
  ]);
});

it("a file that is read again and again is the file, or no answer: never what the loop guard says", async () => {
  writeFileSync(bench.path("file"), "content\n");
  const seen: unknown[] = [];
  await bench.play(async (run) => {
    for (let times = 0; times < 7; times += 1) {
      const file = await read(run, "file");
      seen.push(typeof file === "string" ? file : file.output.value);
    }
  });
  expect(seen).toEqual([...Array.from({ length: 6 }, () => "content\n"), "error"]);
});

function contentOf(answer: Awaited<ReturnType<NativeRun["exec"]>>): string | Uint8Array {
  if (answer.case !== "readResult" || answer.value.result.case !== "success") throw new Error("not read");
  return answer.value.result.value.output.value ?? "";
}

function expectedRange(before: string, offset: number, limit: number) {
  const pieces = before.split("\n");
  const wanted = pieces.slice(offset - 1, offset - 1 + limit).join("\n");
  return {
    output: { case: "content", value: wanted },
    totalLines: before === "" ? 0 : pieces.length,
    fileSize: BigInt(Buffer.byteLength(before)),
    truncated: wanted.length < before.length,
    rangeApplied: true,
  };
}

describe("a range of a file", () => {
  it("is the pieces between the line feeds, from the beginning or the end", async () => {
    const content = fc.array(fc.constantFrom("", "a", "bc\r", "é"), { maxLength: 8 }).map((lines) => lines.join("\n"));
    const ranges = fc.tuple(content, fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 10 }));
    const cases = fc.sample(ranges, { numRuns: barSize({ quick: 30, full: 500 }), seed: 32 });
    const ends: unknown[] = [];
    await bench.play(async (run) => {
      for (const [before, offset, limit] of cases) {
        writeFileSync(bench.path("file"), before);
        expect(await read(run, "file", { offset, limit })).toMatchObject(expectedRange(before, offset, limit));
      }
      writeFileSync(bench.path("file"), "one\ntwo\nthree\n");
      for (const range of [{ offset: -1 }, { offset: -2, limit: 1 }, { offset: -9 }, { offset: 9 }, { offset: 0 }]) {
        const file = await read(run, "file", range);
        ends.push(typeof file === "string" ? file : [file.output.value, file.truncated, file.totalLines]);
      }
    });
    expect(ends).toEqual([
      ["three\n", true, 4],
      ["two", true, 4],
      ["one\ntwo\nthree\n", false, 4],
      ["", true, 4],
      ["one\ntwo\nthree\n", false, 4],
    ]);
  });

  it("of a file that is too large to be read whole is read; the whole is refused, and nothing is cut", async () => {
    const lines = 170_000;
    writeFileSync(
      bench.path("large"),
      Buffer.concat([Buffer.alloc(lines * 100, `${"x".repeat(99)}\n`), Buffer.from("the end")]),
    );
    const seen: unknown[] = [];
    await bench.play(async (run) => {
      seen.push(await read(run, "large"));
      for (const range of [{ offset: -1 }, { offset: lines + 1, limit: 3 }, { offset: 2, limit: 2 }]) {
        const file = await read(run, "large", range);
        seen.push(typeof file === "string" ? file : [file.output.value, file.truncated, file.totalLines]);
      }
    });
    const total = lines + 1;
    const line = "x".repeat(99);
    expect(seen).toEqual([
      "invalidFile",
      ["the end", true, total],
      ["the end", true, total],
      [`${line}\n${line}`, true, total],
    ]);
  });
});

describe("an operation that cannot be done", () => {
  it("is answered in the terms of its kind, and changes nothing", async () => {
    mkdirSync(bench.path("directory"));
    mkdirSync(bench.path("empty"));
    writeFileSync(bench.path("directory/file"), "kept");
    const seen: unknown[] = [];
    await bench.play(async (run) => {
      for (const name of ["missing", "directory", "../outside"]) seen.push(await read(run, name));
      for (const name of ["directory", "../outside", "directory/file/below"])
        seen.push(await write(run, name, { fileText: "x" }));
      for (const name of ["missing", "directory", "empty", "../outside"]) seen.push((await remove(run, name)).case);
    });
    expect(seen).toEqual([
      ...["fileNotFound", "invalidFile", "error"],
      ...["error", "error", "error"],
      ...["fileNotFound", "notFile", "notFile", "error"],
    ]);
    expect(readFileSync(bench.path("directory/file"), "utf8")).toBe("kept");
  });

  it("returns what a deleted file held", async () => {
    writeFileSync(bench.path("file"), "held\r\n");
    let removed: unknown;
    await bench.play(async (run) => {
      removed = await remove(run, "file");
    });
    expect(removed).toMatchObject({ case: "success", value: { fileSize: 6n, prevContent: "held\r\n" } });
  });
});

describe("an encoding that the upstream names", () => {
  it("is read and written, and what it cannot hold is refused", async () => {
    const encodings = ["latin1", "windows1252", "utf16le", "utf-16be", "UTF-8", "koi8-r", "iso88592"];
    const seen: unknown[] = [];
    await bench.play(async (run) => {
      for (const encodingHint of encodings) {
        const bytes = encodingHint.includes("16") ? Buffer.from("é\n", "utf16le") : Buffer.from([0xe9, 0x0a]);
        writeFileSync(bench.path("file"), bytes);
        const file = await read(run, "file", { encodingHint });
        if (typeof file === "string" || file.output.case !== "content") {
          seen.push([encodingHint, "bytes"]);
          continue;
        }
        await write(run, "file", { fileText: file.output.value }, { encodingHint });
        seen.push([encodingHint, file.output.value, readFileSync(bench.path("file")).equals(bytes)]);
      }
      rmSync(bench.path("file"));
      seen.push(await write(run, "file", { fileText: "漢" }, { encodingHint: "latin1" }));
      seen.push(await write(run, "file", { fileText: "a" }, { encodingHint: "klingon" }));
    });
    expect(seen).toEqual([
      ["latin1", "é\n", true],
      ["windows1252", "é\n", true],
      ["utf16le", "é\n", true],
      ["utf-16be", expect.any(String), true],
      ["UTF-8", "bytes"],
      ["koi8-r", "И\n", true],
      ["iso88592", "é\n", true],
      "error",
      "error",
    ]);
    expect(() => lstatSync(bench.path("file"))).toThrow("ENOENT");
  });
});
