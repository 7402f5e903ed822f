import { describe, expect, it } from "vitest";
import { decodeEntities } from "./markdown-inline.tsx";

describe("decodeEntities", () => {
  it("decodes names and numbers, once", () => {
    expect(decodeEntities("a &lt; b &amp;&amp; &#39;c&#x27; &amp;lt;")).toBe("a < b && 'c' &lt;");
  });

  it("leaves alone what is no entity", () => {
    expect(decodeEntities("a & b &constructor; &#0; &#x110000; &x")).toBe("a & b &constructor; &#0; &#x110000; &x");
  });
});
