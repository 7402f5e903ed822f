import { describe, expect, it } from "vitest";
import { modelWords } from "./model-words.ts";

const models = [{ id: "m", name: "Model M", isDefault: true, variants: [{ id: "m-high", label: "High" }] }];

describe("modelWords", () => {
  it("names model and variant, and leaves an unknown id as it is", () => {
    expect(["m", "m-high", "x"].map((id) => modelWords(models, id))).toEqual(["Model M", "Model M · High", "x"]);
    expect(modelWords(undefined, "m")).toBe("m");
  });
});
