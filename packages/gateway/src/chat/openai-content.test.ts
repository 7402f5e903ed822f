import { describe, expect, it } from "vitest";
import { toParts } from "./openai-content.ts";

const dataUrl = (mediaType: string, text: string) => `data:${mediaType};base64,${Buffer.from(text).toString("base64")}`;
const chatFile = (file: object) => ({ type: "file", file });
const inputFile = (file: object) => ({ type: "input_file", ...file });
const imageUrl = (url: unknown) => ({ type: "image_url", image_url: { url } });

describe("what a message may hold besides text", () => {
  it.each([
    [
      "an image of Chat Completions",
      imageUrl("data:image/PNG;base64,iVBORw0KGgo="),
      { kind: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
    ],
    [
      "an image of Responses",
      { type: "input_image", image_url: "data:image/webp;base64,AAAA" },
      { kind: "image", mediaType: "image/webp", data: "AAAA" },
    ],
    [
      "an image that comes as a file",
      inputFile({ filename: "a.png", file_data: "data:image/png;base64,AAAA" }),
      { kind: "image", mediaType: "image/png", data: "AAAA" },
    ],
    [
      "a text file of Chat Completions",
      chatFile({ filename: "a.md", file_data: dataUrl("text/markdown", "# A\n") }),
      { kind: "text", text: '<document title="a.md">\n# A\n</document>' },
    ],
    [
      "a JSON file of Responses",
      inputFile({ filename: "a.json", file_data: dataUrl("application/json", "{}") }),
      { kind: "text", text: '<document title="a.json">\n{}\n</document>' },
    ],
    [
      "text without a type",
      inputFile({ file_data: Buffer.from("Äpfel").toString("base64") }),
      { kind: "text", text: "<document>\nÄpfel\n</document>" },
    ],
  ])("is passed on where an agent can read it: %s", (_name, part, expected) => {
    expect(toParts([part], "content")).toEqual([expected]);
  });

  it.each([
    [
      "a PDF",
      chatFile({ filename: "r.pdf", file_data: dataUrl("application/pdf", "%PDF") }),
      'a file "r.pdf" of type pdf',
    ],
    ["bytes that are no text", inputFile({ file_data: Buffer.from([0xff, 0xfe, 0]).toString("base64") }), "a file"],
    ["a stored file", inputFile({ file_id: "f" }), "a file that is stored elsewhere"],
    ["a file without anything", chatFile({}), "a file that is stored elsewhere"],
    ["a sound", { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }, "a sound"],
    ["something of next year", { type: "video_url" }, 'content of type "video_url"'],
    ["an image by address", imageUrl("https://example.test/a.png"), "an image at https://example.test/a.png"],
    ["a stored image", { type: "input_image", file_id: "f" }, "an image in a file that is stored elsewhere"],
    ["an image without an address", { type: "image_url" }, "an image that is broken"],
    ["an image that is not base64", imageUrl("data:image/png;base64,%%"), "an image that is broken"],
    ["an image of this machine", imageUrl("file:///etc/passwd"), "an image that is broken"],
    ["a page that says it is an image", imageUrl("data:text/html;base64,AAAA"), "an image that is broken"],
    ["an image whose address is a number", { type: "input_image", image_url: 7 }, "an image that is broken"],
  ])("is named as what it is where no agent can have it: %s", (_name, part, label) => {
    const shown = toParts([part], "content").map((one) => (one.kind === "unpassable" ? one.label : one));
    expect(shown).toEqual([label]);
  });
});
