import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Secret } from "@caret/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createOutboundFetch } from "../tools/web/outbound-fetch.ts";
import { sendTestWebhook } from "./notify-waiting.ts";
import { createWebhook } from "./webhook.ts";

interface Delivery {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const never = new AbortController().signal;
let server: Server;
let origin: string;
let got: Delivery[];
let statuses: number[];
let paused: number[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    got.push({ headers: request.headers, body: await text(request) });
    response.writeHead(statuses.shift() ?? 204, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  got = [];
  statuses = [];
  paused = [];
});

function send(body: object, { trustedOrigins = [origin], secret = new Secret("a secret of the two") } = {}) {
  const webhook = createWebhook({
    url: `${origin}/hook`,
    secret,
    fetch: createOutboundFetch({ trustedOrigins }),
    newId: () => "delivery-1",
    now: () => 1_800_000_000_500,
    pause: async (ms) => void paused.push(ms),
  });
  return webhook(body, never);
}

describe("a webhook", () => {
  it("is sent as JSON with a signature over the time and the body", async () => {
    await send({ kind: "approval" });
    const [{ headers, body } = { headers: {}, body: "" }] = got;
    const digest = createHmac("sha256", "a secret of the two").update(`1800000000.${body}`).digest("hex");
    expect([body, headers["x-caret-signature"], headers["x-caret-timestamp"], headers["x-caret-delivery"]]).toEqual([
      '{"kind":"approval"}',
      `sha256=${digest}`,
      "1800000000",
      "delivery-1",
    ]);
  });

  it("is sent again after an error of the receiver, under the same name, and no more than three times", async () => {
    statuses = [503, 429, 500];
    await expect(send({})).rejects.toMatchObject({ message: "The webhook was answered with status 500" });
    expect([paused, got.map(({ headers }) => headers["x-caret-delivery"])]).toEqual([
      [1_000, 10_000],
      ["delivery-1", "delivery-1", "delivery-1"],
    ]);
  });

  it("is sent once as a test, which says that it is one", async () => {
    statuses = [503];
    const address = { url: `${origin}/hook`, secret: undefined, newId: () => "d", now: () => 1_800_000_000_000 };
    await expect(sendTestWebhook(address, "http://page/")).rejects.toMatchObject({
      message: "The webhook was answered with status 503",
    });
    await sendTestWebhook(address, "http://page/");
    const body = {
      event: "test",
      title: "Test of Caret's webhook",
      since: "2027-01-15T08:00:00.000Z",
      link: "http://page/",
    };
    expect(got.map(({ body: text }) => JSON.parse(text))).toEqual([body, body]);
  });

  it("is not sent again when the receiver refuses it", async () => {
    statuses = [401];
    await expect(send({})).rejects.toMatchObject({ message: "The webhook was answered with status 401" });
    expect([paused, got.length]).toEqual([[], 1]);
  });

  it("does not count as delivered when it was redirected", async () => {
    statuses = [302];
    await expect(send({})).rejects.toMatchObject({ message: "The webhook's address redirects elsewhere" });
  });

  it("reaches no private address that the user did not name", async () => {
    await expect(send({}, { trustedOrigins: [] })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(/^The webhook's address cannot be reached: /),
    });
    expect([paused, got]).toEqual([[], []]);
  });
});
