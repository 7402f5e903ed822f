import OpenAI from "openai";
import { expect, it } from "vitest";
import {
  aborted,
  createScriptedConversations,
  ends,
  type Script,
  says,
} from "../../openai/testing/scripted-answers.ts";
import { type ServedDoor, serveDoor } from "../../openai/testing/serve-door.ts";
import { createMemoryItemStore, type ResponseArchive } from "../item-store.ts";
import { responsesDoor } from "../route.ts";
import { sharedArchive } from "../testing/shared-archive.ts";

let made = 0;

function serve(script: Script, archive: ResponseArchive): Promise<ServedDoor> {
  return serveDoor(
    responsesDoor({
      conversations: createScriptedConversations(script),
      now: () => 5000,
      newId: () => String(++made),
      showActivity: "none",
      keepAliveMs: 60_000,
      items: createMemoryItemStore({ archive }),
    }),
  );
}

const responsesOf = ({ url }: ServedDoor) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "x", defaultHeaders: { "x-tester": "ada" }, maxRetries: 0 }).responses;

/** An archive whose writes, from number `held` on, wait until the test releases them. */
function holding(archive: ResponseArchive, held: number, go: Promise<void>) {
  const { promise: isHeld, resolve } = Promise.withResolvers<void>();
  let writes = 0;
  const holder: ResponseArchive = {
    async put(owner, response) {
      writes += 1;
      if (writes >= held) {
        resolve();
        await go;
      }
      await archive.put(owner, response);
    },
    find: (owner, by) => archive.find(owner, by),
  };
  return { holder, isHeld };
}

async function statusOf(asking: Promise<OpenAI.Responses.Response>): Promise<string | number> {
  try {
    return (await asking).status ?? "none";
  } catch (reason) {
    return reason instanceof OpenAI.APIError ? (reason.status ?? 0) : 0;
  }
}

it("a response stays deleted that was deleted at another gateway while its own was writing it", async () => {
  const archive = sharedArchive();
  const { promise: goOn, resolve: say } = Promise.withResolvers<void>();
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  const script: Script = async function* (_request, signal) {
    await Promise.race([goOn, aborted(signal)]);
    yield* [says("Secret words."), [ends]];
  };
  // The first write says that it is being made, the second is the result.
  const { holder, isHeld } = holding(archive, 2, written);
  await using maker = await serve(script, holder);
  await using other = await serve(script, archive);
  const { id } = await responsesOf(maker).create({ model: "auto", input: "Hi", background: true });
  const stream = await responsesOf(maker).retrieve(id, { stream: true });
  say();
  await isHeld;
  await responsesOf(other).delete(id);
  write();
  for await (const _ of stream);
  const seen = await Promise.all([maker, other].map((door) => statusOf(responsesOf(door).retrieve(id))));
  expect(seen).toEqual([404, 404]);
  expect(await archive.find("ada", { id })).not.toContain("Secret words.");
});

it("a response that is cancelled at another gateway is cancelled from then on, though its own has gone for good", async () => {
  const archive = sharedArchive();
  const never: Script = async function* (_request, signal) {
    await aborted(signal);
    yield [ends];
  };
  await using maker = await serve(never, archive);
  await using other = await serve(never, archive);
  const { id } = await responsesOf(maker).create({ model: "auto", input: "Hi", background: true });
  const there = responsesOf(other);
  const statuses = [];
  for (const asking of [there.cancel(id), there.retrieve(id), there.cancel(id)]) statuses.push(await statusOf(asking));
  // As when the process that makes it dies silently.
  await using later = await serveDoor(
    responsesDoor({
      conversations: createScriptedConversations(never),
      now: () => 5000 + 60_000,
      newId: () => String(++made),
      showActivity: "none",
      keepAliveMs: 60_000,
      items: createMemoryItemStore({ archive }),
    }),
  );
  statuses.push(await statusOf(responsesOf(later).retrieve(id)), await statusOf(responsesOf(later).cancel(id)));
  expect(statuses).toEqual(["cancelled", "cancelled", "cancelled", "cancelled", "cancelled"]);
});
