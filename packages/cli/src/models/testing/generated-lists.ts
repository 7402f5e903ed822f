import type { DirectoryModel } from "@caret/protocol";
import { createModelDirectory } from "@caret/runtime";

const efforts = ["low", "medium", "high", "xhigh"] as const;

/** Generates ids like Cursor's lists: `auto`, one without a family, then families of eight. */
export function generatedIds(count: number): readonly string[] {
  const ids = ["auto", "gemini-3.1-pro"];
  for (let number = 1; ids.length < count; number += 1)
    for (const speed of ["", "-fast"]) for (const effort of efforts) ids.push(`line-${number}-${effort}${speed}`);
  return ids.slice(0, count);
}

/** The directory's listing of these ids. */
export async function listed(ids: readonly string[]): Promise<readonly DirectoryModel[]> {
  const models = ids.map((id) => ({ id, name: id.toUpperCase(), isCurrent: false, isDefault: false }));
  const list = { fetchedAt: 0, models };
  const cache = { get: async () => list, refresh: async () => list, settled: () => Promise.resolve() };
  return await createModelDirectory({ cache, named: [], defaultModel: "auto" }).list();
}
