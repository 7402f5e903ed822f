import { expect, it } from "vitest";
import { ignorable, ignoredFields, ignoredHeader } from "./ignored-fields.ts";

it("names what a request sets in vain, and nothing that asks for what happens anyway", () => {
  const idle = { temperature: 1, top_p: 1, frequency_penalty: 0, presence_penalty: null, verbosity: "medium" };
  expect({
    nothing: ignoredFields({ model: "auto" }),
    idle: ignoredFields(idle),
    sampling: ignoredFields({ ...idle, temperature: 0, top_k: 5, seed: 7 }),
  }).toEqual({ nothing: [], idle: [], sampling: ["temperature", "top_k", "seed"] });
});

it("names each of them by itself, unless it asks for nothing", () => {
  const found = Object.entries(ignorable).map(([name, neutral]) => [
    name,
    ignoredFields({ [name]: { asked: 1 } }),
    neutral.flatMap((value) => ignoredFields({ [name]: value })),
  ]);
  expect(found).toEqual(Object.keys(ignorable).map((name) => [name, [name], []]));
  expect(ignoredFields({ logit_bias: { "50256": -100 } })).toEqual(["logit_bias"]);
});

it("is a header that HTTP can carry, whatever a client called its tools", () => {
  const request = { ignored: ["seed"], unavailableTools: ["web_search", "ü\r\nx: y"] };
  expect(ignoredHeader(request)).toBe("seed, tools[web_search], tools[___x__y]");
});
