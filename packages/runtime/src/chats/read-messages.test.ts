import { describe, expect, it } from "vitest";
import { blobRefs } from "./read-messages.ts";
import { node } from "./testing/write-chat-store.ts";

const one = "01".repeat(32);
const two = "02".repeat(32);

describe("blobRefs", () => {
  it("finds the references between fields of every other kind", () => {
    const varint = [0x50, 0xff, 0xff, 0x03];
    const fixed64 = [0x19, 7, 7, 7, 7, 7, 7, 7, 7];
    const fixed32 = [0x1d, 7, 7, 7, 7];
    const nested = [0x12, 0x02, 0x08, 0x01];
    const shortField1 = [0x0a, 0x01, 0x41];
    const between = Buffer.from([...varint, ...fixed64, ...fixed32, ...nested, ...shortField1]);
    expect(blobRefs(Buffer.concat([node([one], between), node([two])]))).toEqual([one, two]);
  });

  it("keeps what came before the damage, wherever a node is cut", () => {
    const whole = node([one, two]);
    for (let cut = 0; cut <= whole.length; cut += 1)
      expect(blobRefs(whole.subarray(0, cut))).toEqual([one, two].slice(0, Math.floor(cut / 34)));
  });

  it("finds nothing in bytes that are no node", () => {
    expect([Buffer.from([0x0f]), Buffer.alloc(20, 0xff), new Uint8Array()].map(blobRefs)).toEqual([[], [], []]);
  });
});
