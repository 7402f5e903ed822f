import { describe, expect, it } from "vitest";
import { safeLink } from "./markdown-inline.tsx";

describe("safeLink", () => {
  it("lets addresses of the web and of mail through", () => {
    expect(["https://example.org/a?b#c", "http://localhost:1/", "mailto:a@example.org"].map(safeLink)).toEqual([
      "https://example.org/a?b#c",
      "http://localhost:1/",
      "mailto:a@example.org",
    ]);
  });

  it("lets nothing else through, however it is written", () => {
    const others = [
      "javascript:alert(1)",
      " JavaScript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "src/a.ts",
      "//x.y",
      "#/usage",
      "",
    ];
    expect(others.map(safeLink)).toEqual(others.map(() => undefined));
  });
});
