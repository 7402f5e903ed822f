import type { Plugin } from "vite";

/** Loads one of Node's modules when something of it is first read. */
const lazily = (name: string): string =>
  `module.exports = new Proxy({}, { get: (_, key) => process.getBuiltinModule("node:${name}")[key] });`;

/**
 * What stands in the bundle for modules that the gateway's web server loads at its start. The gateway has no use for them:
 * it listens without TLS and HTTP/2, checks requests with zod, has no routes with regular expressions,
 * and its dependencies have exact versions.
 */
const standIns: Readonly<Record<string, string>> = {
  dns: lazily("dns"),
  http2: lazily("http2"),
  https: lazily("https"),
  tls: lazily("tls"),
  zlib: lazily("zlib"),
  // The real one is loaded to fail with.
  assert: `module.exports = (holds, ...rest) => { if (!holds) process.getBuiltinModule("node:assert")(holds, ...rest); };`,
  perf_hooks: "module.exports = { performance };",
  "readable-stream": `module.exports = process.getBuiltinModule("node:stream");`,
  semver: "module.exports = { satisfies: () => true };",
  "safe-regex2": "module.exports = () => true;",
  // The gateway's log is its own.
  pino: "module.exports = undefined;",
  "@fastify/ajv-compiler": "module.exports = undefined;",
  "@fastify/fast-json-stringify-compiler": "module.exports = undefined;",
};

const webServer = /\/node_modules\/(?:fastify|@fastify\/[\w-]+|avvio|duplexify|find-my-way|light-my-request|ws)\//;
const PREFIX = "\0stand-in:";

/** Only for what the web server and its parts require; other packages get the modules themselves. */
export const useStandIns: Plugin = {
  name: "use-stand-ins",
  enforce: "pre",
  resolveId(source, importer = "") {
    const name = source.replace(/^node:/, "");
    return webServer.test(importer) && Object.hasOwn(standIns, name) ? `${PREFIX}${name}.cjs` : undefined;
  },
  load(id) {
    return id.startsWith(PREFIX) ? standIns[id.slice(PREFIX.length, -".cjs".length)] : undefined;
  },
};
