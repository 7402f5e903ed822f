import type { AboutView, LaneName, PermissionWord } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { imagesRefused, sortImages } from "./prompt-images.ts";

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

describe("imagesRefused", () => {
  const lanes = (...ready: readonly LaneName[]): AboutView =>
    ({
      lanes: (["cli", "acp", "api", "sim"] as const).map((lane) => ({
        lane,
        ready: ready.includes(lane),
        simulated: lane === "sim",
        ...((lane === "acp" || lane === "api") && { takesImages: true }),
      })),
    }) as unknown as AboutView;
  const refused = (about: AboutView, lane?: LaneName, permission: PermissionWord = "auto-edits") =>
    imagesRefused(about, { permission, ...(lane !== undefined && { lane }) });

  it("says on each lane whether its agent can be given images, before anything is sent", () => {
    const all = lanes("cli", "acp", "api", "sim");
    const other = "choose the acp lane, or full access as the permission, or remove the images.";
    expect([refused(all, "cli"), refused(all, "acp"), refused(all, "api"), refused(all, "sim"), refused(all)]).toEqual([
      `The cli lane cannot give its agent images: ${other}`,
      undefined,
      undefined,
      `The sim lane cannot give its agent images: ${other}`,
      undefined,
    ]);
  });

  it("refuses them where no lane that is ready can, and takes them with full access", () => {
    const few = lanes("cli", "sim");
    const what = "No agent here can be given images: choose full access as the permission, or remove the images.";
    expect([refused(few), refused(few, "acp"), refused(few, "cli", "full")]).toEqual([
      what,
      "The acp lane cannot give its agent images: choose full access as the permission, or remove the images.",
      undefined,
    ]);
  });
});
