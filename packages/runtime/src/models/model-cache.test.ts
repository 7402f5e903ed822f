import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createModelCache, type ModelCacheOptions } from "./model-cache.ts";

const model = (id: string) => ({ id, name: id, isCurrent: false, isDefault: false });

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "caret-models-"));
  file = join(directory, "cache", "models.json");
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A test world: a clock, an upstream that counts requests, and a session that may be running. */
function world(options: Partial<ModelCacheOptions> = {}) {
  const state = {
    now: 1_000,
    asked: 0,
    busy: false,
    version: "v1",
    account: "ada",
    ids: ["auto"],
    errors: [] as string[],
  };
  const open = () =>
    createModelCache({
      file,
      list: async () => {
        state.asked += 1;
        return state.ids.map(model);
      },
      isBusy: () => state.busy,
      origin: async () => ({ account: state.account, state: state.version }),
      now: () => state.now,
      maxAgeMs: 100,
      retryAfterMs: 50,
      onError: (error) => state.errors.push(error.code),
      ...options,
    });
  return { state, open };
}

describe("a model cache", () => {
  it("waits for the first list, keeps it for the next start, and lets nobody else read the file", async () => {
    const { state, open } = world();
    const expected = { fetchedAt: 1_000, origin: { account: "ada", state: "v1" }, models: [model("auto")] };
    expect([await open().get(), await open().get(), state.asked]).toEqual([expected, expected, 1]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(directory, "cache"))).toEqual(["models.json"]);
  });

  it("gives an old list at once and replaces it in the background", async () => {
    const { state, open } = world();
    const cache = open();
    await cache.get();
    state.now += 101;
    state.ids = ["auto", "swift-2"];
    expect((await cache.get())?.models).toEqual([model("auto")]);
    await cache.settled();
    expect((await cache.get())?.models).toEqual([model("auto"), model("swift-2")]);
    expect(state.asked).toBe(2);
  });

  it("asks again when the CLI was updated", async () => {
    const { state, open } = world();
    const cache = open();
    await cache.get();
    state.version = "v2";
    await cache.get();
    await cache.settled();
    expect([(await cache.get())?.origin?.state, state.asked]).toEqual(["v2", 2]);
  });

  it("gives nobody the list of another account, in this process or from the file", async () => {
    const { state, open } = world();
    const cache = open();
    await cache.get();
    state.account = "bob";
    state.ids = ["auto", "bobs"];
    const bobs = await cache.get();
    state.account = "ada";
    state.ids = ["auto", "adas"];
    expect([bobs, await open().get()].map((list) => list?.models.at(-1)?.id)).toEqual(["bobs", "adas"]);
  });

  it("is asked for with the new key while the list of the old one is still on its way", async () => {
    const old = Promise.withResolvers<readonly ReturnType<typeof model>[]>();
    const asked = Promise.withResolvers<void>();
    const { state, open } = world({
      list() {
        asked.resolve();
        return state.account === "ada" ? old.promise : Promise.resolve([model("bobs")]);
      },
    });
    const cache = open();
    const adas = cache.get();
    await asked.promise;
    state.account = "bob";
    const bobs = cache.get();
    old.resolve([model("adas")]);
    expect([await adas, await bobs].map((list) => list?.models.map(({ id }) => id))).toEqual([["adas"], ["bobs"]]);
  });

  it("asks with another key at once, although the one before it has just failed", async () => {
    const { state, open } = world({
      list: async () => {
        if (state.account === "bad") throw new CaretError("bad-key", "No such key");
        return [model("auto")];
      },
    });
    state.account = "bad";
    const cache = open();
    await expect(cache.get()).rejects.toMatchObject({ code: "bad-key" });
    expect(await cache.get()).toBeUndefined();
    state.account = "ada";
    expect((await cache.get())?.models).toEqual([model("auto")]);
  });

  it("asks once for many callers", async () => {
    let answer: (models: ReturnType<typeof model>[]) => void = () => undefined;
    const answered = new Promise<ReturnType<typeof model>[]>((resolve) => {
      answer = resolve;
    });
    let asked = 0;
    const { open } = world({
      list: () => {
        asked += 1;
        return answered;
      },
    });
    const cache = open();
    const callers = [cache.get(), cache.get(), cache.refresh(), cache.refresh()];
    answer([model("auto")]);
    const lists = await Promise.all(callers);
    expect([asked, new Set(lists).size]).toEqual([1, 1]);
  });

  it("never asks while a session could be disturbed", async () => {
    const { state, open } = world();
    const cache = open();
    state.busy = true;
    expect(await cache.get()).toBeUndefined();
    await expect(cache.refresh()).rejects.toMatchObject({ code: "session-busy" });
    expect(state.asked).toBe(0);
    state.busy = false;
    await cache.get();
    state.busy = true;
    state.now += 1_000;
    expect((await cache.get())?.fetchedAt).toBe(1_000);
    await cache.settled();
    expect(state.asked).toBe(1);
  });

  it("keeps the old list when upstream fails, says so, and leaves upstream alone for a while", async () => {
    let asked = 0;
    const { state, open } = world({
      list: async () => {
        asked += 1;
        if (asked > 1) throw new CaretError("upstream-unreachable", "No network");
        return [model("auto")];
      },
    });
    const cache = open();
    await cache.get();
    state.now += 101;
    for (const wait of [0, 49, 1]) {
      state.now += wait;
      expect((await cache.get())?.models).toEqual([model("auto")]);
      await cache.settled();
    }
    expect([asked, state.errors]).toEqual([3, ["upstream-unreachable", "upstream-unreachable"]]);
  });

  it("rejects when there is no list at all and upstream fails", async () => {
    const { open } = world({ list: () => Promise.reject(new CaretError("not-logged-in", "Log in first")) });
    const cache = open();
    await expect(cache.get()).rejects.toMatchObject({ code: "not-logged-in" });
    expect(await cache.get()).toBeUndefined();
  });

  it("does not take an empty answer for a list", async () => {
    const { open } = world({ list: async () => [] });
    await expect(open().get()).rejects.toMatchObject({ code: "protocol-drift" });
  });

  it.each(["", "{", '{"fetchedAt":1}', '{"fetchedAt":1,"models":[{"id":""}]}'])(
    "starts empty from the damaged file %j",
    async (content) => {
      await mkdir(join(directory, "cache"));
      await writeFile(file, content);
      const { open } = world();
      expect((await open().get())?.models).toEqual([model("auto")]);
      expect(JSON.parse(await readFile(file, "utf8")).models).toEqual([model("auto")]);
    },
  );

  it("still answers when the list cannot be kept", async () => {
    await writeFile(join(directory, "cache"), "a file where the directory should be");
    const { state, open } = world();
    expect((await open().get())?.models).toEqual([model("auto")]);
    expect(state.errors).toEqual(["storage-failed"]);
  });
});
