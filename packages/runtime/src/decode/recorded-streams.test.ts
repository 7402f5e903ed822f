import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { summariseEvents } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { decodeChunks } from "./testing/decode-lines.ts";

/** Recordings of the real CLI lie beside the checkout on some machines; they are read, never kept. */
const captures = fileURLToPath(new URL("../../../../../shared/captures/", import.meta.url));
const names = existsSync(captures) ? readdirSync(captures).filter((name) => name.endsWith(".ndjson")) : [];

/** What a recording itself proves: its result's text. */
function provenText(recording: string): string | undefined {
  const last = recording.split("\n").findLast((line) => line.startsWith('{"type":"result"'));
  return last === undefined ? undefined : (JSON.parse(last) as { result: string }).result;
}

describe.runIf(names.length > 0)("a recording of the real CLI", () => {
  it.each(names)("%s decodes to a well-formed turn with the text it proves", (name) => {
    const bytes = readFileSync(`${captures}${name}`);
    const turn = summariseEvents(decodeChunks([bytes], { dialect: "auto", partial: /partial|2025|edge/.test(name) }));
    const proven = provenText(bytes.toString());
    if (proven !== undefined) expect(turn.segments.join("")).toBe(proven);
    expect(turn.outcome?.kind).toBe(proven === undefined ? "failed" : "completed");
  });
});
