import fc from "fast-check";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { createScriptedConversations, ends, says } from "../../openai/testing/scripted-answers.ts";
import { type ServedDoor, serveDoor } from "../../openai/testing/serve-door.ts";
import { createMemoryItemStore, type ResponseArchive } from "../item-store.ts";
import { responsesDoor } from "../route.ts";
import { sharedArchive } from "../testing/shared-archive.ts";

let made = 0;

function serve(archive: ResponseArchive): Promise<ServedDoor> {
  return serveDoor(
    responsesDoor({
      conversations: createScriptedConversations(() => [says("Hi."), [ends]]),
      now: () => 5000,
      newId: () => String(++made),
      showActivity: "none",
      keepAliveMs: 60_000,
      items: createMemoryItemStore({ archive }),
    }),
  );
}

const clientOf = ({ url }: ServedDoor, user: string): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "x", defaultHeaders: { "x-tester": user }, maxRetries: 0 });

async function statusOf(asking: PromiseLike<unknown>): Promise<number> {
  try {
    await asking;
    return 200;
  } catch (reason) {
    return reason instanceof OpenAI.APIError ? (reason.status ?? 0) : 0;
  }
}

interface Known {
  readonly id: string;
  readonly owner: string;
  isThere: boolean;
}

/** The status of each request for a response that its sender owns, and for one that does not exist for them. */
const requests = {
  get: [200, 404, ({ responses }: OpenAI, id: string) => responses.retrieve(id)],
  list: [200, 404, ({ responses }: OpenAI, id: string) => responses.inputItems.list(id)],
  delete: [200, 404, ({ responses }: OpenAI, id: string) => responses.delete(id)],
  cancel: [400, 404, ({ responses }: OpenAI, id: string) => responses.cancel(id)],
  continue: [
    200,
    400,
    ({ responses }: OpenAI, id: string) =>
      responses.create({ model: "auto", input: "More", previous_response_id: id, store: false }),
  ],
} as const;

const kinds = Object.keys(requests) as (keyof typeof requests)[];
const users = ["ada", "bob"] as const;

const step = fc.record({
  what: fc.constantFrom("create" as const, "create" as const, ...kinds),
  gateway: fc.nat(1),
  user: fc.constantFrom(...users),
  which: fc.nat(2),
});

it("responses are seen by their owner until they are deleted, and by nobody else, at any gateway of a fleet", async () => {
  const archive = sharedArchive();
  await using one = await serve(archive);
  await using other = await serve(archive);
  const take = async (
    known: Known[],
    { what, gateway, user, which }: typeof step extends fc.Arbitrary<infer T> ? T : never,
  ) => {
    const client = clientOf(gateway === 0 ? one : other, user);
    if (what === "create") {
      const store = which !== 0;
      const { id } = await client.responses.create({ model: "auto", input: "Hello", store });
      known.push({ id, owner: user, isThere: store });
      return;
    }
    const asked = known[which % known.length] ?? { id: "resp_none", owner: user, isThere: false };
    const [has, hasNot, send] = requests[what];
    const isThere = asked.isThere && asked.owner === user;
    expect([what, await statusOf(send(client, asked.id))]).toEqual([what, isThere ? has : hasNot]);
    if (what === "delete" && isThere) asked.isThere = false;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const known: Known[] = [];
      for (const one of steps) await take(known, one);
    }),
    { numRuns: 60 },
  );
});
