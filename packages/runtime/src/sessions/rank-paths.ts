/**
 * The paths that fit what was typed, best first: the file's own name counts more than its directories, what stands
 * together more than what is scattered, and a short path more than a long one.
 */
export function rankPaths(paths: readonly string[], query: string, limit: number): readonly string[] {
  const wanted = query.trim().toLowerCase();
  const fitting = paths.flatMap((path) => {
    const rank = rankOf(path.toLowerCase(), wanted);
    return rank === undefined ? [] : [{ path, rank }];
  });
  return fitting
    .sort((one, other) => one.rank - other.rank || compareShape(one.path, other.path))
    .slice(0, limit)
    .map(({ path }) => path);
}

function compareShape(one: string, other: string): number {
  return depthOf(one) - depthOf(other) || one.length - other.length || (one < other ? -1 : Number(one > other));
}

function depthOf(path: string): number {
  return path.split("/").length;
}

/** The directories that files are in, each with a slash behind. */
export function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return [...folders];
}

function rankOf(whole: string, wanted: string): number | undefined {
  const path = whole.replace(/\/$/, "");
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ranks = [
    wanted === "" || name === wanted,
    name.startsWith(wanted),
    name.includes(wanted),
    path.includes(wanted),
    holdsInOrder(name, wanted),
    holdsInOrder(path, wanted),
  ];
  const rank = ranks.indexOf(true);
  return rank === -1 ? undefined : rank;
}

function holdsInOrder(text: string, wanted: string): boolean {
  let from = 0;
  for (const character of wanted) {
    const found = text.indexOf(character, from);
    if (found === -1) return false;
    from = found + character.length;
  }
  return true;
}
