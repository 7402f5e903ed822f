import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The words after `from`, in `import("…")` and in `import "…"`. */
const SPECIFIER = /(?<before>\bfrom\s*|\bimport\s*\(\s*|^import\s+)"(?<name>[^"]+)"/gm;
const SOURCE_MAP = /\n?\/\/# sourceMappingURL=.*\s*$/;

/** Where the declarations of a package lie in the repository, and where they go. */
interface DeclarationRoot {
  readonly from: string;
  readonly to: string;
  /** Its main file. */
  readonly index: string;
}

const roots: Readonly<Record<string, DeclarationRoot>> = {
  "@caret/protocol": { from: "packages/protocol/dist", to: "protocol", index: "index.d.ts" },
  "@caret/simulator": { from: "packages/simulator/dist", to: "simulator", index: "index.d.ts" },
  "@caret/cli": { from: "packages/cli/dist", to: "cli", index: "index.d.ts" },
  zod: { from: "node_modules/zod", to: "zod", index: "index.d.ts" },
};

interface CopyOptions {
  readonly root: string;
  readonly into: string;
  /** Files of `tsc`, relative to the repository. */
  readonly entries: readonly string[];
}

/**
 * Copies the declarations that `tsc` has written for some entries and everything they refer to, and makes what they import from
 * other packages relative: the package has no dependencies, and its types need none either. Zod's come along, since events are
 * declared by their schemas.
 */
export function copyDeclarations({ root, into, entries }: CopyOptions): void {
  const done = new Set<string>();
  const copy = (file: string): void => {
    if (done.has(file)) return;
    done.add(file);
    const text = readFileSync(join(root, file), "utf8").replace(SOURCE_MAP, "\n");
    const written = text.replaceAll(SPECIFIER, (...match) => {
      const { before = "", name = "" } = match.at(-1) as Readonly<Record<string, string>>;
      const target = resolveDeclaration(file, name);
      if (target === undefined) return `${before}"${name}"`;
      copy(target);
      return `${before}"${specifier(file, target)}"`;
    });
    const path = join(into, destinationOf(file));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, written);
  };
  for (const entry of entries) copy(entry);
}

/** The file that a declaration refers to; undefined for one of Node's modules. */
function resolveDeclaration(file: string, name: string): string | undefined {
  if (name.startsWith("node:")) return undefined;
  if (name.startsWith(".")) return join(dirname(file), name).replace(/\.[jt]s$/, ".d.ts");
  const root = roots[name];
  if (root === undefined) throw new Error(`${file} refers to ${name}, whose types are not in the package`);
  return join(root.from, root.index);
}

/** The name of a declaration that refers to another one, in the package. */
function specifier(from: string, to: string): string {
  const path = relative(dirname(destinationOf(from)), destinationOf(to)).replace(/\.d\.ts$/, ".js");
  return path.startsWith(".") ? path : `./${path}`;
}

function destinationOf(file: string): string {
  const root = Object.values(roots).find(({ from }) => file.startsWith(`${from}/`));
  if (root === undefined) throw new Error(`${file} is no declaration that is packed`);
  return join(root.to, relative(root.from, file));
}
