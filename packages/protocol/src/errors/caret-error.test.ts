import { describe, expect, it, vi } from "vitest";
import { CaretError } from "./caret-error.ts";
import { errorCatalogue, errorCodes } from "./error-catalogue.ts";
import { errorInfoSchema } from "./error-info.ts";

describe("the catalogue of errors", () => {
  it.each(errorCodes)("says of %s whether trying again may help, and what to do, in a sentence", (code) => {
    const { retryable, fix } = errorCatalogue[code];
    expect(typeof retryable).toBe("boolean");
    expect(fix).toMatch(/^[A-Z][^\n]{9,119}\.$/);
    expect(code).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
  });

  it.each(errorCodes)("gives %s a form that travels", (code) => {
    const info = new CaretError(code, "It failed").toInfo();
    expect(errorInfoSchema.parse(JSON.parse(JSON.stringify(info)))).toEqual({
      code,
      message: "It failed",
      ...errorCatalogue[code],
    });
  });
});

describe("an error", () => {
  it("may know better than the catalogue what to do", () => {
    const error = new CaretError("model-unknown", "No model is called gtp", {
      fix: "Did you mean gpt-5?",
      retryable: true,
      upstream: "unknown model",
    });
    expect(error.toInfo()).toEqual({
      code: "model-unknown",
      message: "No model is called gtp",
      retryable: true,
      fix: "Did you mean gpt-5?",
      upstream: "unknown model",
    });
  });

  it("keeps its cause for our logs and never sends it to a client", () => {
    const cause = new Error("password=hunter2");
    const error = new CaretError("internal", "Unexpected failure", { cause });
    expect(error.cause).toBe(cause);
    expect(JSON.stringify(error.toInfo())).not.toContain("hunter2");
  });

  it("is an Error with a name of its own", () => {
    const error = new CaretError("stalled", "Nothing came");
    expect({ isError: error instanceof Error, text: String(error) }).toEqual({
      isError: true,
      text: "CaretError: Nothing came",
    });
  });
});

describe("recognising an error of ours", () => {
  it("works across two copies of this package, where instanceof does not", async () => {
    vi.resetModules();
    const copy = await import("./caret-error.ts");
    const foreign = new copy.CaretError("killed", "It was killed");
    expect(copy.CaretError).not.toBe(CaretError);
    expect({ isInstance: foreign instanceof CaretError, isCaretError: CaretError.is(foreign) }).toEqual({
      isInstance: false,
      isCaretError: true,
    });
    expect(CaretError.from(foreign)).toBe(foreign);
  });

  it.each([
    ["another error", new Error("no")],
    ["an object that looks like one", { name: "CaretError", code: "internal", message: "no" }],
    ["nothing", undefined],
    ["null", null],
    ["a text", "CaretError"],
  ])("is not fooled by %s", (_what, value) => {
    expect(CaretError.is(value)).toBe(false);
  });
});

describe("whatever was thrown", () => {
  const named = (name: string): Error => Object.assign(new Error("upstream says no"), { name });

  it("stays itself when it is an error of ours", () => {
    const error = new CaretError("stalled", "Nothing came");
    expect(CaretError.from(error)).toBe(error);
  });

  it.each([
    ["timed-out", named("TimeoutError"), "The operation timed out"],
    ["cancelled", named("AbortError"), "The operation was cancelled"],
    ["internal", new TypeError("x is undefined"), "Unexpected failure"],
    ["internal", "a bare text", "Unexpected failure"],
    ["internal", undefined, "Unexpected failure"],
  ] as const)("becomes %s, keeping %s as its cause and out of its message", (code, reason, message) => {
    const error = CaretError.from(reason);
    expect([error.toInfo(), error.cause]).toEqual([{ code, message, ...errorCatalogue[code] }, reason]);
  });
});
