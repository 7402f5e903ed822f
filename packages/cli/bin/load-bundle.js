// Loads the bundled command. Its chunks are scripts and no modules, because V8 can tell what it has compiled of a script once that
// has run: the cache then holds every function that the start called. Node's own cache is made before anything has run, and
// leaves each of them to be compiled again in every start.
const { hash } = process.getBuiltinModule("node:crypto");
const { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } =
  process.getBuiltinModule("node:fs");
const { join } = process.getBuiltinModule("node:path");
const { cachedDataVersionTag } = process.getBuiltinModule("node:v8");
const { Script, constants } = process.getBuiltinModule("node:vm");

/** A command that runs for longer than this has started. */
const STARTED_MS = 2_000;
const DIGEST_BYTES = 20;
const LENGTH_BYTES = 4;
/** Its functions are taken when they are called: it loads a megabyte of Node's own modules, among them the line editor. */
const fsPromises = new Proxy(
  {},
  {
    get:
      (_, name) =>
      (...given) =>
        process.getBuiltinModule("node:fs/promises")[name](...given),
  },
);

/**
 * Runs `main.js` of the directory. `name` tells apart what commands compile. The cache lies beside the code, so that only those who
 * can change the code can write to it.
 */
export function loadBundle(directory, cacheDirectory, name) {
  const tag = cachedDataVersionTag();
  // Chunks are named by their content, so that main.js, which names them, stands for all. Its time does not tell it apart from another
  // version's: packers give every file the same.
  const key = [
    process.version,
    process.arch,
    tag,
    digestOf(readFileSync(join(directory, "main.js"))).toString("hex"),
  ].join(" ");
  const file = join(cacheDirectory, `${name}.bin`);
  let caches = readCaches(file, key);
  const isCached = caches !== undefined;
  const scripts = new Map();
  const exportsOf = new Map();
  const load = (path) => {
    if (!path.startsWith("./")) return path === "node:fs/promises" ? fsPromises : process.getBuiltinModule(path);
    if (exportsOf.has(path)) return exportsOf.get(path);
    const exports = {};
    exportsOf.set(path, exports);
    const filename = join(directory, path);
    const cachedData = caches?.get(path);
    const script = new Script(readFileSync(filename, "latin1"), {
      filename,
      cachedData,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (!isCached) scripts.set(path, script);
    script.runInThisContext()(exports, load, filename);
    return exports;
  };
  // It holds what a start loads and nothing else: after the start it would only take memory.
  const forget = () => {
    caches = undefined;
  };
  whenStarted(isCached ? forget : () => cachedDataVersionTag() === tag && writeCaches(file, key, scripts));
  load("./main.js");
}

/** Once, when the gateway says so (src/serve/light-start.ts), a while after the start, or when the command has ended well. */
function whenStarted(keep) {
  let isKept = false;
  const once = () => {
    if (!isKept) keep();
    isKept = true;
  };
  globalThis[Symbol.for("caret.started")] = once;
  setTimeout(once, STARTED_MS).unref();
  process.once("exit", (code) => code === 0 && once());
}

function readCaches(file, key) {
  try {
    return cachesIn(readFileSync(file), key);
  } catch {
    return undefined; // there is none yet, or what is there is no cache: it is made again
  }
}

function cachesIn(file, key) {
  const bytes = file.subarray(DIGEST_BYTES);
  // V8 does not check what it is given: of a file that was damaged it would crash, in every start from then on.
  if (!digestOf(bytes).equals(file.subarray(0, DIGEST_BYTES))) return undefined;
  const body = LENGTH_BYTES + bytes.readUInt32LE(0);
  const index = JSON.parse(bytes.toString("latin1", LENGTH_BYTES, body));
  if (index.key !== key) return undefined;
  let at = body;
  const take = (size) => {
    at += size;
    return bytes.subarray(at - size, at);
  };
  return new Map(index.scripts.map(([path, size]) => [path, take(size)]));
}

function digestOf(bytes) {
  return hash("sha1", bytes, "buffer");
}

/** Synced before it gets its name: half a cache would cost the next start the reading of it. */
function writeCaches(file, key, scripts) {
  const parts = [...scripts].map(([path, script]) => [path, script.createCachedData()]);
  const sizes = parts.map(([path, data]) => [path, data.length]);
  const head = Buffer.from(JSON.stringify({ key, scripts: sizes }), "latin1");
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(head.length);
  const temporary = `${file}.${process.pid}`;
  const bytes = Buffer.concat([length, head, ...parts.map(([, data]) => data)]);
  try {
    // Nobody else may write there, whatever the umask lets.
    mkdirSync(join(file, ".."), { recursive: true, mode: 0o755 });
    writeDurably(temporary, [digestOf(bytes), bytes]);
    renameSync(temporary, file);
  } catch {
    // The package may lie where this user cannot write, or the disk is full. It then starts as it did this time.
  }
}

/** Leaves nothing behind where it could not write all. */
function writeDurably(file, parts) {
  const written = openSync(file, "wx", 0o644);
  try {
    for (const part of parts) writeFileSync(written, part);
    fsyncSync(written);
  } catch (reason) {
    rmSync(file);
    throw reason;
  } finally {
    closeSync(written);
  }
}
