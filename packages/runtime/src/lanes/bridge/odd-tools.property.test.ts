import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClientTool, readToolSchema } from "@caret/protocol";
import { Client } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTurnOffer } from "../api/turn-offer.ts";
import { toAgentTools } from "./agent-tools.ts";
import { type BridgeHub, openBridgeHub } from "./bridge-hub.ts";
import { SocketTransport } from "./serve-tools.ts";

const odd = fc.constantFrom<unknown>(null, [], {}, true, false, "a", 5, "OBJECT", ["object", "null"], ["a", 1]);
const property = fc.oneof(odd, fc.record({ type: odd }, { requiredKeys: [] }), fc.jsonValue());

/** What clients and servers send as a tool's schema: good ones, careless ones, and values never meant as one. */
const schema = fc.oneof(
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        type: fc.oneof(fc.constantFrom("object", "OBJECT", "string", "Object"), odd),
        properties: fc.oneof(fc.dictionary(fc.constantFrom("a", "b", "__proto__", "$ref", ""), property), odd),
        required: fc.oneof(fc.array(fc.string(), { maxLength: 2 }), odd),
        additionalProperties: odd,
        $ref: fc.constantFrom("#/$defs/a", "http://nowhere/"),
        anyOf: odd,
        items: property,
      },
      { requiredKeys: [] },
    ),
  },
);

const tool = fc.record({ name: fc.string({ minLength: 1, maxLength: 80, unit: "binary" }), schema });
const toolList = fc.uniqueArray(tool, { minLength: 1, maxLength: 6, selector: ({ name }) => name });

let directory: string;
let hub: BridgeHub;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "caret-odd-"));
  hub = await openBridgeHub({ socketPath: join(directory, "bridge.sock"), version: "1" });
});
afterAll(async () => {
  await hub.close();
  rmSync(directory, { recursive: true });
});

/** What the protocol's own client takes of a turn's tools: the names, and what their schemas are of. */
async function listed(tools: ReturnType<typeof toAgentTools>, turnId: string) {
  const onCall = async () => ({ text: "", isError: false });
  const admission = await hub.admit(turnId, { tools, onCall }, new AbortController().signal);
  const socket = connect(hub.socketPath).on("error", () => undefined); // closed with the turn
  socket.write(`${JSON.stringify({ turnId, secret: admission.secret })}\n`);
  const client = new Client({ name: "agent", version: "1" });
  await client.connect(new SocketTransport(socket));
  const { tools: found } = await client.listTools();
  const closed = once(socket, "close");
  admission.dismiss();
  await closed;
  return found.map(({ name, inputSchema }) => ({ name, type: inputSchema.type }));
}

describe("a client's tools with schemas of every kind", () => {
  it("are all listed for an agent by the bridge, and by the API lane", async () => {
    let turns = 0;
    await fc.assert(
      fc.asyncProperty(toolList, async (given) => {
        const sent = given.map((one) => ({ name: one.name, inputSchema: one.schema }) as unknown as ClientTool);
        const tools = toAgentTools(sent);
        const all = tools.map(({ name }) => ({ name, type: "object" }));
        const offer = createTurnOffer({
          owner: "client",
          tools,
          system: "",
          realWorkspace: undefined,
        } as unknown as Parameters<typeof createTurnOffer>[0]);
        const defined = offer.definitions().map(({ toolName = "", inputSchemaJson = "" }) => ({
          name: toolName,
          type: (JSON.parse(inputSchemaJson) as { type: unknown }).type,
        }));
        turns += 1;
        expect({ bridge: await listed(tools, `t${turns}`), api: defined }).toEqual({ bridge: all, api: all });
      }),
      { numRuns: 60 },
    );
  });

  it("keep what they say where they are good", () => {
    const good = fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))),
      required: fc.array(fc.string()),
    });
    fc.assert(
      fc.property(good, (given) => {
        expect(JSON.stringify(readToolSchema(given))).toBe(JSON.stringify({ schema: given }));
      }),
    );
  });
});
