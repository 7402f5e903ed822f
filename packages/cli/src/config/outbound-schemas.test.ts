import { expect, it } from "vitest";
import { outboundAddress, outboundHeaders } from "./outbound-schemas.ts";

it("refuses an address that the outbound fetch would refuse at every delivery", () => {
  const addresses = ["https://ntfy.example/x?y=1", "http://127.0.0.1:4318", "https://me:pw@ntfy.example/", "ftp://x/"];
  expect(addresses.map((address) => outboundAddress().safeParse(address).success)).toEqual([true, true, false, false]);
});

it("refuses headers that HTTP cannot carry, without a word of their values", () => {
  const said = outboundHeaders().safeParse({ "x-key": "ok \u00e9", "x-bad": "secret\nvalue", "a b": "secret" });
  expect([said.success, JSON.stringify(said.error?.issues).includes("secret")]).toEqual([false, false]);
});
