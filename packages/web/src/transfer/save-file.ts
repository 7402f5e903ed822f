import type { ExportedFile } from "@caret/protocol";

/** Long enough for a browser that asks its user where to put it. */
const KEPT_MS = 60_000;

/** Hands a file to the browser's downloads. */
export function saveFile({ fileName, content }: ExportedFile): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
