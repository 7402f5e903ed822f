// Taken directly: an import makes Node load whatever is behind the getters of these modules, too.
const { readdirSync, statSync } = process.getBuiltinModule("node:fs");
const { fileURLToPath } = process.getBuiltinModule("node:url");

/**
 * The bundle of a program, or its source where that is newer: in a checkout, what was just edited is what runs. A package
 * without sources has the bundle alone.
 */
export function newestProgram(bundle, source, directories) {
  const builtAt = modifiedAt(bundle);
  if (builtAt === undefined) return source;
  return directories.some((directory) => hasNewer(directory, builtAt)) ? source : bundle;
}

function hasNewer(directory, builtAt) {
  let names;
  try {
    names = readdirSync(directory, { recursive: true });
  } catch {
    return false; // not in this installation
  }
  const base = fileURLToPath(directory);
  return names.some((name) => /(?<!\.test)\.ts$/.test(name) && modifiedAt(base + name) > builtAt);
}

function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
