import type { TranscriptPart } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { toContentParts, toResultParts } from "./request.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const image = (source: unknown) => ({ type: "image", source });
const document = (source: unknown, title?: string) => ({ type: "document", source, title });

/** The parts, reduced to what a person would look at. */
const shown = (parts: readonly TranscriptPart[]) =>
  parts.map((part) => (part.kind === "unpassable" ? part.label : part));

describe("what a user's message may hold", () => {
  it.each([
    [
      "a base64 image",
      image({ type: "base64", media_type: "image/jpeg", data: "AAAA" }),
      [{ kind: "image", mediaType: "image/jpeg", data: "AAAA" }],
    ],
    [
      "a text document",
      document({ type: "text", media_type: "text/plain", data: "Boskoop\n" }, "apples"),
      [{ kind: "text", text: '<document title="apples">\nBoskoop\n</document>' }],
    ],
    [
      "a text file in base64",
      document({ type: "base64", media_type: "text/csv", data: base64("a,b") }),
      [{ kind: "text", text: "<document>\na,b\n</document>" }],
    ],
    [
      "a document of blocks",
      document({
        type: "content",
        content: [{ type: "text", text: "One" }, image({ type: "base64", media_type: "image/png", data: "AAAA" })],
      }),
      [
        { kind: "text", text: "<document>" },
        { kind: "text", text: "One" },
        { kind: "image", mediaType: "image/png", data: "AAAA" },
        { kind: "text", text: "</document>" },
      ],
    ],
    [
      "a search result",
      { type: "search_result", title: "T", source: "https://x.test", content: [{ type: "text", text: "Found" }] },
      [{ kind: "text", text: '<search_result title="T" source="https://x.test">\nFound\n</search_result>' }],
    ],
  ])("is passed on where an agent can read it: %s", (_name, block, parts) => {
    expect(toContentParts(block, "at")).toEqual(parts);
  });

  it.each([
    [
      "a PDF",
      document({ type: "base64", media_type: "application/pdf", data: "AAAA" }, "r.pdf"),
      'a PDF document "r.pdf"',
    ],
    ["a document by address", document({ type: "url", url: "https://example.test/a.pdf" }), "a document"],
    ["an upload", { type: "container_upload", file_id: "f1" }, 'a block of type "container_upload"'],
    ["a block nobody knows", { type: "hologram" }, 'a block of type "hologram"'],
    ["an image by address", image({ type: "url", url: "https://x.test/a.png" }), "an image at https://x.test/a.png"],
    [
      "an image in a stored file",
      image({ type: "file", file_id: "f1" }),
      "an image in a file that is stored elsewhere",
    ],
    ["an image without a source", { type: "image" }, "an image that is broken"],
    ["an image whose source is a text", image("AAAA"), "an image that is broken"],
    [
      "an image with empty data",
      image({ type: "base64", media_type: "image/png", data: "" }),
      "an image that is broken",
    ],
    [
      "an image that is not base64",
      image({ type: "base64", media_type: "image/png", data: "***" }),
      "an image that is broken",
    ],
    [
      "an image that is a film",
      image({ type: "base64", media_type: "video/mp4", data: "AA" }),
      "an image that is broken",
    ],
    ["an image on this machine", image({ type: "url", url: "file:///etc/hostname" }), "an image that is broken"],
  ])("is named as what it is where no agent can have it: %s", (_name, block, label) => {
    expect(shown(toContentParts(block, "at"))).toEqual([label]);
    expect(shown(toResultParts(block, "at"))).toEqual(
      block.type === "image" || block.type === "document" ? [label] : [{ kind: "text", text: JSON.stringify(block) }],
    );
  });

  it("is known again whether or not the client marks it for its cache", () => {
    const [plain, marked, other] = [
      { type: "hologram" },
      { type: "hologram", cache_control: {} },
      { type: "hologram", x: 1 },
    ]
      .flatMap((block) => toContentParts(block, "at"))
      .map((part) => (part.kind === "unpassable" ? part.digest : ""));
    expect({ sameWhenMarked: plain === marked, sameAsAnother: plain === other }).toEqual({
      sameWhenMarked: true,
      sameAsAnother: false,
    });
  });
});

it("says of a tool that a search has found that it can be called", () => {
  expect(toResultParts({ type: "tool_reference", tool_name: "mcp__x__y" }, "at")).toEqual([
    { kind: "text", text: "The tool `mcp__x__y` can be called now." },
  ]);
});
