import { readFileSync } from "node:fs";
import {
  CaretError,
  type EditorAnswer,
  type EditorOffer,
  type EditorRequest,
  type FollowedEditorRequest,
} from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSessionEditors, type SessionEditors } from "../sessions/session-editors.ts";
import { createExecTool } from "./exec/exec-tool.ts";
import { createFileTools } from "./files/file-tools.ts";
import { createToolBench, type ToolBench } from "./testing/tool-bench.ts";

let bench: ToolBench;
let editors: SessionEditors;
let ids = 0;

beforeEach(() => {
  bench = createToolBench({ tools: (outputs) => [...createFileTools(), createExecTool({ outputs })] });
  editors = createSessionEditors(() => `request-${ids++}`);
});
afterEach(() => bench.remove());

const everything: EditorOffer = { reads: true, writes: true, terminals: true };

type Serve = (request: EditorRequest) => EditorAnswer | undefined;

/** An editor that answers at once, unless it has nothing to say. Resolves when it counts. */
async function openEditor(offer: EditorOffer, serve: Serve) {
  const gone = new AbortController();
  const requests: FollowedEditorRequest[] = [];
  const ready = Promise.withResolvers<void>();
  const take = (request: FollowedEditorRequest): void => {
    requests.push(request);
    if (request.kind === "ready") return ready.resolve();
    const answer = request.kind === "withdraw" ? undefined : serve(request);
    if (answer !== undefined) editors.answer("s", request.requestId, answer);
  };
  const run = async (): Promise<void> => {
    for await (const batch of editors.follow("s", { offer, signal: gone.signal })) batch.forEach(take);
  };
  const over = run();
  await ready.promise;
  return {
    requests,
    leave: async () => {
      gone.abort();
      await over;
    },
  };
}

/** Buffers by their paths in the workspace. */
function withBuffers(buffers: Map<string, string>): Serve {
  const nameOf = (path: string): string => path.slice(bench.workspace.length + 1);
  return (request) => {
    if (request.kind === "run") return { failed: "no terminals" };
    if (request.kind === "read") {
      const text = buffers.get(nameOf(request.path));
      return text === undefined ? { failed: "it is not open" } : { text };
    }
    buffers.set(nameOf(request.path), request.text);
    return {};
  };
}

const call = (name: string, input: object, more = {}) =>
  bench.call(name, input, { editor: editors.of("s"), callId: "c", ...more });

describe("a file that is open in an editor", () => {
  it("is read as it stands there, and from the disk where the editor has no such file or it is no text", async () => {
    bench.write("a.txt", "saved");
    bench.write("b.bin", Buffer.from([0, 1, 2]));
    await openEditor(everything, withBuffers(new Map([["a.txt", "one\nunsaved\nthree"]])));
    expect([
      (await call("read", { path: "a.txt", offset: 2, limit: 1 })).output,
      (await call("read", { path: "b.bin" })).output,
      (await call("read", { path: "c.txt" })).output,
    ]).toEqual([
      "unsaved\n[There is more: continue with offset 3.]",
      "b.bin is a binary file of 3 bytes and cannot be shown as text",
      "c.txt does not exist",
    ]);
  });

  it("is asked for twice when the editor fails, and then left alone: it may have unsaved changes", async () => {
    bench.write("a.txt", "saved");
    const buffers = new Map([["a.txt", "unsaved"]]);
    const serve = withBuffers(buffers);
    let failures = 1;
    await openEditor(everything, (request) => {
      if (request.kind !== "read" || failures === 0) return serve(request);
      failures -= 1;
      return { failed: "busy" };
    });
    const edited = await call("edit", { path: "a.txt", old_string: "un", new_string: "not yet " });
    const refused: unknown[] = [];
    for (const [name, input] of [
      ["edit", { path: "a.txt", old_string: "saved", new_string: "lost" }],
      ["write", { path: "a.txt", content: "lost" }],
      ["read", { path: "a.txt" }],
    ] as const) {
      failures = 2;
      refused.push((await call(name, input)).output);
    }
    const why = "The editor did not read a.txt, and may have unsaved changes in it\nbusy";
    expect([edited.status, refused, [...buffers], bench.read("a.txt")]).toEqual([
      "ok",
      [why, why, why],
      [["a.txt", "not yet saved"]],
      "saved",
    ]);
  });

  it("is left as its bytes are where the editor has lost some by decoding it", async () => {
    const bytes = Buffer.from("caf\xe9 = 1\n", "latin1");
    bench.write("a.txt", bytes);
    await openEditor(everything, withBuffers(new Map([["a.txt", "caf\ufffd = 1\n"]])));
    const edited = await call("edit", { path: "a.txt", old_string: "1", new_string: "2" });
    expect([edited.output, readFileSync(bench.path("a.txt")).equals(bytes)]).toEqual([
      "a.txt is a binary file of 9 bytes, not UTF-8 text",
      true,
    ]);
  });

  it("is edited and written there, and the disk is left to the editor", async () => {
    bench.write("a.txt", "saved");
    const buffers = new Map([["a.txt", "unsaved"]]);
    await openEditor(everything, withBuffers(buffers));
    const edited = await call("edit", { path: "a.txt", old_string: "unsaved", new_string: "edited" });
    const replaced = await call("write", { path: "a.txt", content: "replaced" });
    const written = await call("write", { path: "new.txt", content: "made" });
    expect([edited.diff, replaced.diff, written.output, [...buffers], bench.read("a.txt")]).toEqual([
      { path: "a.txt", before: "unsaved", after: "edited" },
      { path: "a.txt", before: "edited", after: "replaced" },
      "Created new.txt (4 bytes)",
      [
        ["a.txt", "replaced"],
        ["new.txt", "made"],
      ],
      "saved",
    ]);
  });

  it("is written to the disk where the editor only reads, with what is not saved in it", async () => {
    bench.write("a.txt", "saved");
    await openEditor({ ...everything, writes: false }, withBuffers(new Map([["a.txt", "not saved"]])));
    await call("edit", { path: "a.txt", old_string: "not", new_string: "now" });
    expect(bench.read("a.txt")).toBe("now saved");
  });

  it("is not written at all when the editor refuses, and the model reads why", async () => {
    bench.write("a.txt", "saved");
    await openEditor(everything, ({ kind }) => (kind === "read" ? { text: "unsaved" } : { failed: "read-only" }));
    const result = await call("write", { path: "a.txt", content: "new" });
    expect([result, bench.read("a.txt")]).toEqual([
      { status: "error", output: "The editor did not write the file\nread-only", outcomeClass: "tool_error" },
      "saved",
    ]);
  });

  it("is not changed when its text is another than the one that was approved", async () => {
    bench.write("a.txt", "saved");
    await openEditor(everything, withBuffers(new Map([["a.txt", "typed on"]])));
    const result = await call("write", { path: "a.txt", content: "new" }, { shownState: "of another text" });
    expect(result).toMatchObject({ status: "error", output: expect.stringContaining("was changed after the user") });
  });

  it("is out of reach outside of the workspace", async () => {
    const { requests } = await openEditor(everything, () => ({ text: "secret" }));
    const result = await call("read", { path: "../outside/a.txt" });
    expect([result.outcomeClass, requests]).toEqual(["permission", [{ kind: "ready" }]]);
  });
});

describe("a command", () => {
  const ended =
    (answer: EditorAnswer): Serve =>
    () =>
      answer;

  it("runs in a terminal of the editor, and its output and exit code come back", async () => {
    const { requests } = await openEditor(everything, ended({ text: "no\n", exitCode: 4 }));
    const result = await call("exec", { command: "make" });
    expect([result, requests.at(-1)]).toEqual([
      { status: "error", output: "no\n[exit code 4]", outcomeClass: "tool_error", exitCode: 4 },
      {
        kind: "run",
        requestId: expect.any(String),
        callId: "c",
        command: "/bin/sh",
        args: ["-c", "make"],
        cwd: bench.workspace,
        outputBytes: 4_194_304,
      },
    ]);
  });

  it("that a signal ended, or whose output was cut, says so", async () => {
    await openEditor(everything, ended({ text: "much", cut: true, signal: "SIGKILL" }));
    expect((await call("exec", { command: "make" })).output).toBe(
      "much\n[the terminal kept only the last 4194304 bytes]\n[killed by SIGKILL]",
    );
  });

  it("of a sandboxed turn does not leave its sandbox for a terminal", async () => {
    const { requests } = await openEditor(everything, ended({ text: "outside", exitCode: 0 }));
    const result = await call("exec", { command: "echo inside" }, { enclose: (plain: unknown) => plain });
    expect([result.output, requests]).toEqual(["inside\n", [{ kind: "ready" }]]);
  });

  it("is ended with its turn, and what it printed is kept", async () => {
    const stop = new AbortController();
    const asked = Promise.withResolvers<string>();
    const { requests } = await openEditor(everything, (request) => void asked.resolve(request.requestId));
    const result = call("exec", { command: "sleep 600" }, { signal: stop.signal });
    const requestId = await asked.promise;
    stop.abort(new CaretError("cancelled", "Enough"));
    await expect.poll(() => requests.at(-1)).toEqual({ kind: "withdraw", requestId });
    editors.answer("s", requestId, { text: "half\n", signal: "SIGTERM" });
    expect(await result).toMatchObject({ status: "interrupted", output: expect.stringContaining("half\n") });
  });
});

describe("an editor", () => {
  it("that leaves fails what it was asked, and from then on the disk counts", async () => {
    bench.write("a.txt", "saved");
    const asked = Promise.withResolvers<void>();
    const editor = await openEditor(everything, () => void asked.resolve());
    const waiting = call("read", { path: "a.txt" });
    await asked.promise;
    await editor.leave();
    expect([(await waiting).output, (await call("read", { path: "a.txt" })).output]).toEqual([
      "The editor was closed before it answered",
      "saved",
    ]);
  });

  it("gives way to a newer one for as long as that is there", async () => {
    bench.write("a.txt", "saved");
    const read = async (): Promise<string> => (await call("read", { path: "a.txt" })).output;
    const first = await openEditor(everything, () => ({ text: "first" }));
    const second = await openEditor(everything, () => ({ text: "second" }));
    const withBoth = await read();
    await second.leave();
    const withFirst = await read();
    await first.leave();
    expect([withBoth, withFirst, await read()]).toEqual(["second", "first", "saved"]);
  });

  it("cannot answer what nobody waits for", () => {
    expect(() => editors.answer("s", "none", {})).toThrow(
      expect.objectContaining({ code: "not-found" }) as unknown as Error,
    );
  });
});
