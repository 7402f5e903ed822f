import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { badBodies, badTexts, type DoorPath } from "./bad-bodies.ts";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const home = new GatewayHome();
let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await startGateway(home);
  // The list of models is there, so that names are judged.
  await fetch(`${gateway.url}/v1/models`, { headers: { "x-api-key": gateway.token } });
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

async function post(path: string, body: string | Uint8Array) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${gateway.token}` };
  const response = await fetch(gateway.url + path, { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, text };
}

/** Whether a client of this door finds what it looks for in an error: the shape, and words for a person. */
function isErrorOf(door: DoorPath, text: string): boolean {
  const { type, error } = JSON.parse(text) as { type?: string; error?: { type?: string; message?: string } };
  const isShaped = door === "/v1/messages" ? type === "error" : type === undefined;
  return isShaped && typeof error?.type === "string" && (error.message ?? "").length > 5 && !text.includes("    at ");
}

describe.each(Object.keys(badBodies) as DoorPath[])("%s", (door) => {
  it.each(badBodies[door])("refuses $what with $status", async ({ body, status }) => {
    const answer = await post(door, JSON.stringify(body));
    expect({ status: answer.status, isErrorOfTheDoor: isErrorOf(door, answer.text) }).toEqual({
      status,
      isErrorOfTheDoor: true,
    });
  });

  it.each(badTexts)("refuses a body that is $what with 400", async ({ text }) => {
    const answer = await post(door, text);
    expect({ status: answer.status, isErrorOfTheDoor: isErrorOf(door, answer.text) }).toEqual({
      status: 400,
      isErrorOfTheDoor: true,
    });
  });
});

it("has refused more than a hundred and fifty, and no agent has been asked anything", () => {
  const count = Object.values(badBodies).reduce((sum, bodies) => sum + bodies.length + badTexts.length, 0);
  expect({ areMany: count > 150, turns: home.turns() }).toEqual({ areMany: true, turns: [] });
});
