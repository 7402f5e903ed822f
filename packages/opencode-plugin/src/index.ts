import { server } from "./server.ts";
import { setup } from "./setup.ts";

/** OpenCode 1 calls `server`, OpenCode 2 calls `setup`. */
const plugin = { id: "caret", server, setup };

// biome-ignore lint/style/noDefaultExport: OpenCode loads a plugin by its default export.
export default plugin;
