import { execFileSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./lint-planted.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
/** Everything Git has or is about to have, as it lies on disk now. */
const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((path) => path !== "" && existsSync(join(root, path)));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
const manifest = (path: string): Manifest => JSON.parse(read(path)) as Manifest;
const packages = globSync("packages/*/package.json", { cwd: root }).sort().map(manifest);
const rootManifest = manifest("package.json");

describe("the versions of Node", () => {
  const { engines } = JSON.parse(read("package.json")) as { readonly engines: { readonly node: string } };
  /** The two lines with long support, as people write them: "22.22.3, 24.15". */
  const spoken = [...engines.node.matchAll(/\^(2[24]\.[\d.]+)/g)].map(([, version = ""]) =>
    version.replace(/\.0$/, ""),
  );

  it("are the manifest's wherever a document, a message or a program names the oldest that will do", () => {
    const naming = tracked
      .filter((path) => /\.(?:md|ts|js)$/.test(path) && !/\.test\.ts$|^docs\/decisions\//.test(path))
      .flatMap((path) => read(path).match(/\b2\d\.\d+(?:\.\d+)?, 2\d\.\d+\b/g) ?? []);
    expect([...new Set(naming)]).toEqual([spoken.join(", ")]);
  });
});

describe("the README's two commands", () => {
  const commands = [...read("README.md").matchAll(/^npm ci && npm (?:start|test)$/gm)].map(([command]) => command);

  it("come first, and are to start Caret and to test it", () => {
    expect(commands.slice(0, 2)).toEqual(["npm ci && npm start", "npm ci && npm test"]);
  });

  it("are scripts of the manifest, and the second is the one that CI runs", () => {
    expect(Object.keys(rootManifest.scripts ?? {})).toEqual(expect.arrayContaining(["start", "test"]));
    expect(read(".ci/run").trimEnd().split("\n").at(-1)).toBe(commands[1]);
  });
});

describe("what tests read from the environment", () => {
  /** Nothing that is tested may depend on a variable that no script sets. */
  const known = {
    CARET_SEED: "repeats a run by its seed",
    CHROMIUM: "names the browser",
    PATH: "is passed on",
    TMPDIR: "says where temporary files are, in memory unless it is set",
    UPDATE_DOCS: "writes the tables that the same tests compare",
  };
  const code = tracked.filter((path) => /^tests\/.*\.ts$|\.test\.ts$|\/testing\/.*\.ts$/.test(path));

  it("gates no test: sizes are the script's, `npm test` or `npm run test:full`", () => {
    const names = code.flatMap((path) => [...read(path).matchAll(/process\.env\["(\w+)"\]/g)].map(([, name]) => name));
    expect([...new Set(names)].sort()).toEqual(Object.keys(known));
    expect(rootManifest.scripts).toMatchObject({
      test: "vitest run",
      "test:full": "vitest run --mode full",
      "test:bars": "vitest run --mode bars",
    });
    expect(read("AGENTS.md")).toContain("`npm run test:full`");
  });
});

describe("the packages", () => {
  it("have one version, one licence and one module system, and depend on each other at that version", () => {
    const { version } = rootManifest;
    const facts = [rootManifest, ...packages].map((one) => ({
      name: one.name,
      version: one.version,
      license: one.license,
      type: one.type,
      ours: Object.entries({ ...one.dependencies, ...one.devDependencies })
        .filter(([name, wanted]) => name.startsWith("@caret/") && wanted !== version)
        .map(([name, wanted]) => `${name}@${wanted}`),
    }));
    expect(facts).toEqual(facts.map(({ name }) => ({ name, version, license: "MIT", type: "module", ours: [] })));
  });

  it("are licensed to everyone under the MIT licence", () => {
    expect(read("LICENSE")).toMatch(/^MIT License\n\nCopyright \(c\) \d{4} /);
    expect(read("LICENSE")).toContain("Permission is hereby granted, free of charge");
  });

  it("pin every dependency to one exact version", () => {
    const loose = [rootManifest, ...packages]
      .flatMap((one) => Object.entries({ ...one.dependencies, ...one.devDependencies }))
      .filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
    expect(loose).toEqual([]);
  });
});

describe("the dependencies that run", () => {
  const direct = packages
    .filter(({ name }) => name !== "@caret/web")
    .flatMap(({ dependencies }) => Object.keys(dependencies ?? {}))
    .filter((name) => !name.startsWith("@caret/"));
  const names = [...new Set(direct)].sort();

  it("are at most 24 outside the web page", () => {
    expect(names.length).toBeLessThanOrEqual(24);
  });

  it.each(names)("include %s for a reason that a decision gives", (name) => {
    const decisions = globSync("docs/decisions/0*.md", { cwd: root }).map(read);
    expect(decisions.some((decision) => decision.includes(`\`${name}\``))).toBe(true);
  });
});

describe("the decisions", () => {
  const index = "docs/decisions/README.md";
  const files = globSync("docs/decisions/*.md", { cwd: root, exclude: [index] }).sort();

  it("are numbered without a gap, those included that are measurements now", () => {
    const numbers = files.map((path) => Number(/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]));
    const moved = [...read("docs/measurements/README.md").matchAll(/^\| \[.* \| (\d+) \|$/gm)].map(([, one]) =>
      Number(one),
    );
    const all = [...numbers, ...moved].sort((one, other) => one - other);
    expect(all).toEqual(all.map((_, place) => place + 1));
  });

  it("are all in the index, each under its own number", () => {
    const listed = [...read(index).matchAll(/^\| \[(\d+)\]\(([^)]+)\) \| \S/gm)].map(([, one = "", file]) => [
      one.padStart(4, "0"),
      file,
    ]);
    expect(listed.filter(([one = "", file]) => file?.startsWith(`${one}-`) !== true)).toEqual([]);
    expect([...new Set(listed.map(([, file]) => `docs/decisions/${file}`))].sort()).toEqual(files);
  });

  it.each(files)("%s says what was decided, why, and what it costs, on one page", (path) => {
    const text = read(path);
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(["Decision", "Why", "Cost"]);
    expect(text.split("\n").length).toBeLessThanOrEqual(60);
  });
});

describe("the documents", () => {
  const documents = tracked.filter((path) => path.endsWith(".md"));

  it.each(documents)("%s links only to what exists", (path) => {
    const targets = [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, target]) => target ?? "");
    expect(targets.filter((target) => !existsSync(join(root, path, "..", target)))).toEqual([]);
  });
});

describe("what Git keeps", () => {
  const captures = join(root, "../shared/captures");
  const withText = tracked.filter((path) => statSync(join(root, path)).size <= 4 * 1024 * 1024);

  it("has no file of recorded lines and no database: fixtures are code", () => {
    expect(tracked.filter((path) => /\.(?:ndjson|jsonl)$/.test(path))).toEqual([]);
    const databases = withText.filter((path) => readFileSync(join(root, path)).subarray(0, 6).toString() === "SQLite");
    expect(databases).toEqual([]);
  });

  it.runIf(existsSync(captures))("has no id and no long line of a recording of the real CLI", () => {
    const recorded = readdirSync(captures)
      .filter((name) => /\.(?:ndjson|jsonl)$/.test(name) && !name.startsWith("edge-"))
      .map((name) => readFileSync(join(captures, name), "utf8"))
      .join("\n");
    const ids = recorded.match(
      /\b[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b|\btool_[0-9a-f-]{20,}/g,
    );
    const lines = recorded.split("\n").filter((line) => line.length > 80);
    const traits = [...new Set([...(ids ?? []), ...lines])].filter((trait) => !trait.startsWith("00000000-"));
    expect(traits.length).toBeGreaterThan(100);
    const text = tracked.map(readTextOf).join("\n");
    expect(traits.filter((trait) => text.includes(trait))).toEqual([]);
  });

  it("names no directory of anyone's machine: homes in examples belong to made-up people", () => {
    const homes = /(?:\/home\/|\/Users\/|\\Users\\)(?!(?:ada|me|you|user|[a-z])\b)[\w.-]+/g;
    const own = [homedir(), root].map((path) => path.replace(/\/$/, "")).filter((path) => path !== "");
    const found = tracked.flatMap((path) => {
      const text = readTextOf(path);
      const said = [...text.matchAll(homes)].map(([match]) => match);
      return [...said, ...own.filter((one) => mentions(text, one))].map((match) => `${path}: ${match}`);
    });
    expect(found).toEqual([]);
  });
});

/** A file's text; nothing for one that is no text, or too large to have been written by hand. */
function readTextOf(path: string): string {
  if (statSync(join(root, path)).size > 4 * 1024 * 1024) return "";
  const text = read(path);
  return text.includes("\0") ? "" : text;
}

function mentions(text: string, directory: string): boolean {
  const at = text.indexOf(directory);
  return at !== -1 && !/^[\w-]/.test(text.slice(at + directory.length));
}

describe("the lockfile", () => {
  it("names the packages of every platform, or `npm ci` refuses it; scripts/complete-lockfile.ts adds them", () => {
    const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    expect(wanted.filter((name) => packages[`node_modules/${name}`] === undefined)).toEqual([]);
  });
});

it("every file that the diagrams of a turn name exists", () => {
  const words = read("packages/runtime/src/README.md").match(/[\w.-]+(?:\/[\w.-]+)*\.ts\b/g) ?? [];
  const sources = tracked.filter((path) => /^packages\/(?:runtime|gateway)\/src\//.test(path));
  const missing = words.filter((named) => !sources.some((path) => path.endsWith(`/${named}`)));
  expect({ missing, isEnough: words.length > 30 }).toEqual({ missing: [], isEnough: true });
});
