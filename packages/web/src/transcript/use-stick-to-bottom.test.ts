import { describe, expect, it } from "vitest";
import { staysStuck } from "./use-stick-to-bottom.ts";

const end = { top: 600, height: 1_000, viewport: 400 };

describe("staysStuck", () => {
  it("lets go when the reader scrolls up", () => {
    expect(staysStuck(true, end, { ...end, top: 500 }, true)).toBe(false);
    expect(staysStuck(true, end, { ...end, top: 595 }, true)).toBe(false);
    expect(staysStuck(true, end, { top: 595, height: 1_040, viewport: 400 }, true)).toBe(false);
  });

  it("lets go when something else than a hand goes up, a search in the page for instance", () => {
    expect(staysStuck(true, end, { ...end, top: 500 }, false)).toBe(false);
  });

  it("takes hold again when the reader comes back to the end", () => {
    expect(staysStuck(false, { ...end, top: 300 }, { ...end, top: 590 }, true)).toBe(true);
    expect(staysStuck(false, { ...end, top: 300 }, { ...end, top: 400 }, true)).toBe(false);
  });

  it("holds while content grows, shrinks, or the window changes", () => {
    expect(staysStuck(true, end, { ...end, height: 1_500 }, true)).toBe(true);
    expect(staysStuck(true, end, { top: 200, height: 900, viewport: 400 }, true)).toBe(true);
    expect(staysStuck(true, end, { top: 500, height: 1_000, viewport: 300 }, true)).toBe(true);
  });

  it("holds when what is measured is higher than it was thought to be", () => {
    expect(staysStuck(true, end, { top: 596, height: 1_900, viewport: 400 }, false)).toBe(true);
  });
});
