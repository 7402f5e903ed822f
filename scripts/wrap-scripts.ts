import type { Plugin } from "vite";

/** `packages/cli/bin/load-bundle.js` takes it by the names of its functions when they are called: there is no object to copy. */
const WHOLE_FS_PROMISES = /node_fs_promises\w* = require_rolldown/;

/** Makes each chunk a script whose value is the function that `packages/cli/bin/load-bundle.js` calls. Lines stay where they are. */
export const wrapScripts: Plugin = {
  name: "wrap-scripts",
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue;
      if (WHOLE_FS_PROMISES.test(chunk.code)) throw new Error("Take node:fs/promises by the names of its functions");
      chunk.code = `(function (exports, require, __filename) { "use strict"; ${chunk.code}\n})`;
    }
  },
};
