import type { Writable } from "node:stream";

const enough = ["drain", "close", "error"];

/** Write no faster than the reader reads. A reader that went away (`caret … | head`) is no error: the rest is dropped. */
export async function write(stream: Writable, text: string): Promise<void> {
  if (text === "" || stream.destroyed || !stream.writable) return;
  if (stream.write(text)) return;
  await new Promise<void>((resolve) => {
    const settle = (): void => {
      for (const event of enough) stream.off(event, settle);
      resolve();
    };
    for (const event of enough) stream.on(event, settle);
  });
}
