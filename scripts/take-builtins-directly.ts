import type { Plugin } from "vite";

/** `import process, { a as b } from "node:x";` and `import * as x from "node:x";`, as the bundler writes them. */
const IMPORT =
  /^import (?:(?<whole>[\w$]+)|\* as (?<space>[\w$]+))?(?:, )?(?:\{(?<names>[^}]*)\})? ?from "(?<name>node:[\w/]+)";$/gm;

/** It loads a megabyte of Node's own modules, among them the line editor, and no start calls anything of it. */
const WHEN_CALLED = "node:fs/promises";

/**
 * Takes what a bundle needs of Node's own modules out of the modules themselves. An `import` of one makes Node read each of
 * its exports, and many are getters behind which more modules wait: for `node:crypto` web cryptography, for `node:util` and
 * `node:process` the parser of arguments, reports and source maps. Nobody has asked for them yet.
 */
export const takeBuiltinsDirectly: Plugin = {
  name: "take-builtins-directly",
  renderChunk(code) {
    return code.replaceAll(IMPORT, (...match) => {
      const { whole, space, names, name } = match.at(-1) as Readonly<Record<string, string | undefined>>;
      const builtin = `globalThis.process.getBuiltinModule(${JSON.stringify(name)})`;
      if (name === WHEN_CALLED) return forwarded(names ?? "", builtin);
      const constants = [whole, space]
        .filter((constant) => constant !== undefined)
        .map((constant) => `${constant} = ${builtin}`);
      if (names !== undefined) constants.push(`{${names.replaceAll(" as ", ": ")}} = ${builtin}`);
      return `const ${constants.join(", ")};`;
    });
  },
};

/** Functions that take the module when they are called. Only functions can be: a constant would have to be read now. */
function forwarded(names: string, builtin: string): string {
  const functions = names.split(",").map((each) => {
    const [name = "", own = name] = each.trim().split(" as ");
    if (name === "" || name === "constants") throw new Error(`Take ${WHEN_CALLED} by the names of its functions`);
    return `${own} = (...given) => ${builtin}.${name}(...given)`;
  });
  return `const ${functions.join(", ")};`;
}
