import { expect, it } from "vitest";
import { createPublicAddressPolicy } from "./address-policy.ts";

const isPublic = createPublicAddressPolicy({
  ownAddresses: () => ["93.184.216.34", "2606:2800:220:1::2", "fe80::1%eth0"],
});

it.each([
  "1.1.1.1",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "223.255.255.255",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
  "2001:200::1",
  "2606:4700::1111",
])("lets a tool connect to the public address %s", (address) => expect(isPublic(address)).toBe(true));

it.each([
  "::ffff:10.0.0.1",
  "::ffff:7f00:1",
  "64:ff9b::",
  "64:ff9b::10.0.0.1",
  "64:ff9b::a9fe:a9fe",
  "::8.8.8.8",
  "2002:808:808::1",
  "2001:0:808:808::1",
  "2001:1ff:ffff::1",
  "4000::1",
  "fe80::1%eth0",
  "2606:4700::1111%eth0",
  "93.184.216.34",
  "::ffff:93.184.216.34",
  "64:ff9b::5db8:d822",
  "2606:2800:220:0001:0:0:0:2",
  "1.2.3",
  "",
])("refuses %s, which is private, translated, special, of this machine or no address", (address) =>
  expect(isPublic(address)).toBe(false),
);
