import type { Plugin } from "vite";

/** Loaded by Fastify and ws for TLS, HTTP/2, compression and names to bind, none of which the gateway uses by itself. */
const LAZY = ["dns", "http2", "https", "tls", "zlib"];

const PREFIX = "\0lazy-builtin:";

/** Lets CommonJS packages load some of Node's modules when they first read something of them. */
export const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  enforce: "pre",
  resolveId(source, _importer, { kind }: { readonly kind?: string }) {
    const name = source.replace(/^node:/, "");
    return kind === "require-call" && LAZY.includes(name) ? `${PREFIX}${name}.cjs` : undefined;
  },
  load(id) {
    if (!id.startsWith(PREFIX)) return undefined;
    const name = JSON.stringify(`node:${id.slice(PREFIX.length, -".cjs".length)}`);
    return `module.exports = new Proxy({}, { get: (_, key) => process.getBuiltinModule(${name})[key] });`;
  },
};
