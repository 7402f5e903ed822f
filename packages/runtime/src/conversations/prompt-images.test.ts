import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openAttachments } from "../sessions/open-attachments.ts";
import { answer, type ConversationBench, createConversationBench, read, user } from "./testing/conversation-bench.ts";

/** The lane can pass images on. */
const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from("a picture")]).toString("base64");
const picture = (data = png) => ({ kind: "image", mediaType: "image/png", data }) as const;
let root: string;
let bench: ConversationBench;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "caret-pictures-"));
  const attachments = openAttachments(root);
  bench = createConversationBench({ attachments }, {}, ["agent-tools", "client-tools", "gateway-tools", "images"]);
});
afterEach(async () => {
  await bench.close();
  rmSync(root, { recursive: true, force: true });
});
const images = (index: number) =>
  (bench.asked[index]?.images ?? []).map(({ path, mediaType }) => [readFileSync(path).toString("base64"), mediaType]);

it("an image comes with the turn that asks about it, new or not, and with no other", async () => {
  const first = { role: "user", parts: [{ kind: "text", text: "What is this?" }, picture()] } as const;
  await read(await bench.open([first]));
  await read(await bench.open([first, answer("answer 1"), user("And now?")]));
  const other = { role: "user", parts: [picture(), { kind: "text", text: "And this?" }] } as const;
  await read(await bench.open([first, answer("answer 1"), user("And now?"), answer("answer 2"), other]));
  expect(bench.asked.map(({ prompt }, index) => [prompt.split("\n\n").at(-1), images(index)])).toEqual([
    ["What is this?\n[an attached image]", [[png, "image/png"]]],
    ["And now?", []],
    ["[an attached image]\nAnd this?", [[png, "image/png"]]],
  ]);
});

it("an image that is none is refused, and starts nothing", async () => {
  await expect(bench.open([{ role: "user", parts: [picture("AAAA")] }])).rejects.toMatchObject({
    code: "invalid-request",
  });
  expect(bench.asked).toEqual([]);
});
