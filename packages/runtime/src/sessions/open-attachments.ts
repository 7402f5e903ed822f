import { readdir } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { CaretError, type PromptImage, type SessionImage } from "@caret/protocol";
import { createKeyedLock } from "../async/keyed-lock.ts";
import type { AttachedImage } from "../lanes/lane.ts";
import type { EventStore } from "../log/event-store.ts";
import { hasLogAside } from "../log/sqlite/log-aside.ts";
import { makePrivateDirectory } from "../paths/private-files.ts";
import { directoryName } from "../paths/session-directory.ts";

/** Every start lists them, and `node:fs/promises` loads a megabyte that nothing else of a start needs. */
const listNames = promisify(readdir);

const kinds: readonly (ImageKind & { readonly fits: (bytes: Buffer) => boolean })[] = [
  { mediaType: "image/png", ending: "png", fits: (bytes) => startsWith(bytes, "89504e470d0a1a0a") },
  { mediaType: "image/jpeg", ending: "jpg", fits: (bytes) => startsWith(bytes, "ffd8ff") },
  { mediaType: "image/gif", ending: "gif", fits: (bytes) => startsWith(bytes, "47494638") },
  {
    mediaType: "image/webp",
    ending: "webp",
    fits: (bytes) => startsWith(bytes, "52494646") && bytes.toString("latin1", 8, 12) === "WEBP",
  },
];

const MAX_IMAGES = 10;
const MAX_BYTES = 10 * 1024 * 1024;

/** Images of prompts, as files an agent can look at. Each lives as long as its session. */
export interface Attachments {
  /** All of them, or none: rejects with `invalid-request` or `too-large`. */
  save(sessionId: string, images: readonly PromptImage[]): Promise<readonly AttachedImage[]>;
  /** One of them by its name. Rejects with `not-found`. */
  read(sessionId: string, name: string): Promise<SessionImage>;
  discard(images: readonly AttachedImage[]): Promise<void>;
  /** The session's own directory, made when missing: whatever else is kept there goes with the session. */
  directory(sessionId: string): string;
  removeSession(sessionId: string): Promise<void>;
  /** Removes what sessions that are gone have left behind. */
  sweep(store: EventStore, signal?: AbortSignal): Promise<void>;
}

export function openAttachments(root: string): Attachments {
  const lock = createKeyedLock();
  const directoryOf = (sessionId: string): string => join(root, directoryName(sessionId));
  return {
    async save(sessionId, images) {
      if (images.length === 0) return [];
      const contents = readImages(images);
      const directory = directoryOf(sessionId);
      for (const each of [root, directory]) makePrivateDirectory(each);
      return await lock.run(directory, () => write(directory, contents));
    },
    async read(sessionId, name) {
      // The name is a stranger's: only names that `save` gives are looked for.
      const bytes = /^\d+\.\w+$/.test(name)
        ? await readFile(join(directoryOf(sessionId), name)).catch(() => undefined) // reported below
        : undefined;
      const kind = bytes === undefined ? undefined : sniffImage(bytes);
      if (bytes === undefined || kind === undefined)
        throw new CaretError("not-found", `The session has no image ${name}`, {
          fix: "Look in the session that it was sent to: forks and imports have no copies.",
        });
      return { mediaType: kind.mediaType, bytes };
    },
    directory(sessionId) {
      const directory = directoryOf(sessionId);
      for (const each of [root, directory]) makePrivateDirectory(each);
      return directory;
    },
    async discard(images) {
      await Promise.all(images.map(({ path }) => rm(path, { force: true })));
    },
    // Another process may be writing a snapshot of the workspace there.
    removeSession: (sessionId) => rm(directoryOf(sessionId), { recursive: true, force: true, maxRetries: 5 }),
    async sweep(store, signal) {
      if (hasLogAside(dirname(root))) return;
      makePrivateDirectory(root);
      // In this order: whatever was there before the sessions were listed has its session among them, if it has one.
      const found = await listNames(root);
      if (signal?.aborted === true) return;
      const kept = new Set((await store.sessionIds()).map(directoryName));
      const left = found.filter((name) => !kept.has(name));
      for (const name of left) await rm(join(root, name), { recursive: true, force: true });
    },
  };
}

async function write(directory: string, images: readonly Image[]): Promise<readonly AttachedImage[]> {
  const first = await nextNumber(directory);
  return await Promise.all(
    images.map(async ({ bytes, mediaType, ending }, index) => {
      const path = join(directory, `${first + index}.${ending}`);
      await writeFile(path, bytes, { mode: 0o600, flag: "wx" });
      return { path, mediaType };
    }),
  );
}

async function nextNumber(directory: string): Promise<number> {
  const numbers = (await listNames(directory)).map((name) => Number.parseInt(name, 10)).filter(Number.isSafeInteger);
  return Math.max(0, ...numbers) + 1;
}

interface Image extends ImageKind {
  readonly bytes: Buffer;
}

function readImages(images: readonly PromptImage[]): readonly Image[] {
  if (images.length > MAX_IMAGES)
    throw new CaretError("invalid-request", `A prompt can have at most ${MAX_IMAGES} images, not ${images.length}`);
  return images.map(({ base64 }, index) => {
    if (base64.length > Math.ceil(MAX_BYTES / 3) * 4)
      throw new CaretError("too-large", `Image ${index + 1} is larger than ${MAX_BYTES} bytes`);
    const bytes = Buffer.from(base64, "base64");
    const kind = sniffImage(bytes);
    if (kind === undefined)
      throw new CaretError("invalid-request", `Image ${index + 1} is not a PNG, JPEG, GIF or WebP image`);
    return { bytes, ...kind };
  });
}

interface ImageKind {
  readonly mediaType: string;
  /** Of a file's name. */
  readonly ending: string;
}

/** What a file really is, by its first bytes, whatever it was said to be. */
function sniffImage(bytes: Buffer): ImageKind | undefined {
  const found = kinds.find(({ fits }) => fits(bytes));
  return found === undefined ? undefined : { mediaType: found.mediaType, ending: found.ending };
}

function startsWith(bytes: Buffer, hex: string): boolean {
  return bytes.subarray(0, hex.length / 2).toString("hex") === hex;
}
