import { describe, expect, it } from "vitest";
import { sortImages } from "./prompt-images.ts";

const png = { name: "a.png", type: "image/png", size: 100 };

describe("sortImages", () => {
  it("takes images it can send", () => {
    expect(sortImages([png], 8)).toEqual({ taken: [png], refused: undefined });
  });

  it("says why it refuses one, and takes the others", () => {
    const text = { name: "notes.txt", type: "text/plain", size: 1 };
    const huge = { name: "huge.png", type: "image/png", size: 9 * 1024 * 1024 };
    expect(sortImages([text, png], 8)).toEqual({
      taken: [png],
      refused: "notes.txt is not a PNG, JPEG, GIF or WebP image.",
    });
    expect(sortImages([huge, png], 8)).toEqual({ taken: [png], refused: "huge.png is larger than 8 MB." });
  });

  it("takes no more than there is room for", () => {
    expect(sortImages([png, { ...png, name: "b.png" }], 1)).toEqual({
      taken: [png],
      refused: "No more than 8 images can be sent at once.",
    });
  });
});
