import type { AboutView, PromptImage, SessionView } from "@caret/protocol";

/** An image that is about to be sent. `url` shows it, and is released when it is gone. */
export interface DraftImage {
  readonly id: number;
  readonly name: string;
  readonly file: Blob;
  readonly url: string;
}

const mediaTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const MAX_BYTES = 8 * 1024 * 1024;
export const MAX_IMAGES = 8;

/**
 * Why a session with these choices takes no images, said before anything is sent; undefined: it takes them. An agent with tools of
 * its own (`full`) looks at them itself; any other has to be given them, by a lane that can.
 */
export function imagesRefused(
  about: AboutView | undefined,
  { permission, lane }: Pick<SessionView, "permission" | "lane">,
): string | undefined {
  const lanes = about?.lanes.filter((each) => each.ready && (lane === undefined || each.lane === lane)) ?? [];
  if (permission === "full" || lanes.some(({ takesImages }) => takesImages === true)) return undefined;
  const able = about?.lanes.find(({ takesImages, ready }) => takesImages === true && ready)?.lane;
  const who =
    lane === undefined ? "No agent here can be given images" : `The ${lane} lane cannot give its agent images`;
  const other = able === undefined ? "" : `the ${able} lane, or `;
  return `${who}: choose ${other}full access as the permission, or remove the images.`;
}

/** Which of the files can be sent, and in words why others cannot. */
export function sortImages<Given extends Pick<File, "name" | "type" | "size">>(
  files: readonly Given[],
  room: number,
): { readonly taken: readonly Given[]; readonly refused: string | undefined } {
  const wrong = files.find((file) => !mediaTypes.has(file.type));
  const large = files.find((file) => mediaTypes.has(file.type) && file.size > MAX_BYTES);
  const good = files.filter((file) => mediaTypes.has(file.type) && file.size <= MAX_BYTES);
  const refused =
    wrong !== undefined
      ? `${wrong.name} is not a PNG, JPEG, GIF or WebP image.`
      : large !== undefined
        ? `${large.name} is larger than 8 MB.`
        : good.length > room
          ? `No more than ${MAX_IMAGES} images can be sent at once.`
          : undefined;
  return { taken: good.slice(0, room), refused };
}

export async function toPromptImages(images: readonly Pick<DraftImage, "file">[]): Promise<readonly PromptImage[]> {
  return Promise.all(images.map(async ({ file }) => ({ mediaType: file.type, base64: await toBase64(file) })));
}

function toBase64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result).replace(/^[^,]*,/, "")));
    reader.addEventListener("error", () => reject(reader.error ?? new Error("The image could not be read")));
    reader.readAsDataURL(file);
  });
}
