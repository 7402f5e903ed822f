import { beforeAll, describe, expect, it } from "vitest";
import { lintPlanted } from "./lint-planted.ts";

interface Plant {
  readonly what: string;
  readonly path: string;
  readonly text: string;
  readonly rules: readonly string[];
}

const uses = (specifier: string): string => `import { thing } from "${specifier}";\n\nexport const used = thing;\n`;
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

/** Imports against the direction of the house. */
const directions: readonly Plant[] = [
  {
    what: "the protocol use Node",
    path: "packages/protocol/src/planted-node.ts",
    text: uses("node:fs"),
    rules: ["noNodejsModules"],
  },
  {
    what: "the protocol use the runtime",
    path: "packages/protocol/src/planted-runtime.ts",
    text: uses("@caret/runtime"),
    rules: ["noRestrictedImports", "noUndeclaredDependencies"],
  },
  ...["gateway", "cli", "simulator"].map((name) => ({
    what: `the fleet use the ${name}`,
    path: `packages/fleet/src/planted-${name}.ts`,
    text: uses(`@caret/${name}`),
    rules: ["noRestrictedImports", "noUndeclaredDependencies"],
  })),
  ...["gateway", "cli", "simulator", "fleet"].map((name) => ({
    what: `the runtime use the ${name}`,
    path: `packages/runtime/src/planted-${name}.ts`,
    text: uses(`@caret/${name}`),
    rules: ["noRestrictedImports", "noUndeclaredDependencies"],
  })),
  ...["decode", "decode/framing"].flatMap((folder) => [
    {
      what: `${folder} use Node`,
      path: `packages/runtime/src/${folder}/planted-node.ts`,
      text: uses("node:fs"),
      rules: ["noRestrictedImports"],
    },
    ...["lanes/cli/cli-lane.ts", "process/spawner/create-spawner.ts", "log/event-store.ts"].map((file, index) => ({
      what: `${folder} use ${file}`,
      path: `packages/runtime/src/${folder}/planted-${index}.ts`,
      text: uses(`${folder === "decode" ? ".." : "../.."}/${file}`),
      rules: ["noRestrictedImports"],
    })),
    {
      what: `${folder} use the gateway`,
      path: `packages/runtime/src/${folder}/planted-gateway.ts`,
      text: uses("@caret/gateway"),
      rules: ["noUndeclaredDependencies"],
    },
  ]),
  ...["runtime", "simulator", "fleet"].map((name) => ({
    what: `the gateway use the ${name}`,
    path: `packages/gateway/src/planted-${name}.ts`,
    text: uses(`@caret/${name}`),
    rules: ["noRestrictedImports", "noUndeclaredDependencies"],
  })),
  ...["node:child_process", "node:fs", "node:fs/promises", "node:sqlite"].map((name, index) => ({
    what: `the gateway use ${name}`,
    path: `packages/gateway/src/planted-${index}.ts`,
    text: uses(name),
    rules: ["noRestrictedImports"],
  })),
  {
    what: "the gateway use child_process by its short name",
    path: "packages/gateway/src/planted-short.ts",
    text: uses("child_process"),
    rules: ["useNodejsImportProtocol"],
  },
  {
    what: "the simulator use the runtime",
    path: "packages/simulator/src/planted-runtime.ts",
    text: uses("@caret/runtime"),
    rules: ["noRestrictedImports", "noUndeclaredDependencies"],
  },
  ...["runtime", "protocol"].map((name) => ({
    what: `the Pi provider use the ${name}`,
    path: `packages/pi-provider/src/planted-${name}.ts`,
    text: uses(`@caret/${name}`),
    rules: ["noRestrictedImports", "noUndeclaredDependencies"],
  })),
  {
    what: "anyone use a package that its manifest does not name",
    path: "packages/cli/src/planted-undeclared.ts",
    text: uses("left-pad"),
    rules: ["noUndeclaredDependencies"],
  },
  {
    what: "a file import one that imports it back",
    path: "packages/runtime/src/planted-hen.ts",
    text: 'import { egg } from "./planted-egg.ts";\n\nexport const hen = (): string => egg();\n',
    rules: ["noImportCycles"],
  },
  {
    what: "the other half of that cycle",
    path: "packages/runtime/src/planted-egg.ts",
    text: 'import { hen } from "./planted-hen.ts";\n\nexport const egg = (): string => hen();\n',
    rules: ["noImportCycles"],
  },
];

/** What no file of ours may contain, planted where most of the code is. */
const habits: readonly Plant[] = [
  { what: "process.env", text: 'export const path = process.env["PATH"];\n', rules: ["noProcessEnv"] },
  { what: "a default export", text: "export default function run(): void {}\n", rules: ["noDefaultExport"] },
  { what: "any", text: "export const anything = (value: any): string => String(value);\n", rules: ["noExplicitAny"] },
  {
    what: "a promise nobody waits for",
    text: "async function later(): Promise<void> {}\n\nexport function now(): void {\n  later();\n}\n",
    rules: ["noFloatingPromises"],
  },
  {
    what: "a function whose body is longer than 60 lines",
    text: `export function long(): void {\n${lines(61, (index) => `  Math.abs(${index});`)}\n}\n`,
    rules: ["noExcessiveLinesPerFunction"],
  },
  {
    what: "a file of more than 400 lines",
    text: lines(401, (index) => `export const n${index} = ${index};`),
    rules: ["noExcessiveLinesPerFile"],
  },
  {
    what: "a function with too many ways through it",
    text: `export function maze(n: number): number {\n${lines(13, (index) => `  if (n === ${index}) return ${index};`)}\n  return n;\n}\n`,
    rules: ["noExcessiveCognitiveComplexity"],
  },
  { what: "an enum", text: "export enum Colour {\n  Red = 0,\n}\n", rules: ["noEnum"] },
  {
    what: "a non-null assertion",
    text: "export const first = (list: string[]): string => list[0]!;\n",
    rules: ["noNonNullAssertion"],
  },
  { what: "console", text: 'console.log("hello");\n', rules: ["noConsole"] },
  { what: "a re-export of everything", text: 'export * from "./planted-0.ts";\n', rules: ["noReExportAll"] },
  {
    what: "something thrown that is no error",
    text: 'export const fail = (): never => {\n  throw "no";\n};\n',
    rules: ["useThrowOnlyError"],
  },
].map((plant, index) => ({ ...plant, path: `packages/runtime/src/turns/planted-${index}.ts` }));

const others: readonly Plant[] = [
  {
    what: "a file whose name is not kebab-case",
    path: "packages/runtime/src/plantedFile.ts",
    text: "export const planted = 1;\n",
    rules: ["useFilenamingConvention"],
  },
  {
    what: "a test file of more than 800 lines",
    path: "packages/runtime/src/planted-long.test.ts",
    text: lines(801, (index) => `export const n${index} = ${index};`),
    rules: ["noExcessiveLinesPerFile"],
  },
];

/** The same things where they are right: proof that it is the rule that speaks above, and not something else. */
const innocents: readonly Plant[] = [
  { what: "main.ts reads the environment", path: "packages/cli/src/main.ts", text: habits[0]?.text ?? "", rules: [] },
  { what: "the runtime uses Node", path: "packages/runtime/src/planted-fine.ts", text: uses("node:fs"), rules: [] },
  {
    what: "the runtime uses the protocol",
    path: "packages/runtime/src/planted-down.ts",
    text: uses("@caret/protocol"),
    rules: [],
  },
  {
    what: "the cli uses the runtime",
    path: "packages/cli/src/planted-down.ts",
    text: uses("@caret/runtime"),
    rules: [],
  },
  {
    what: "the body of a function has 60 lines",
    path: "packages/runtime/src/planted-sixty.ts",
    text: `export function long(): void {\n${lines(60, (index) => `  Math.abs(${index});`)}\n}\n`,
    rules: [],
  },
];

const plants = [...directions, ...habits, ...others, ...innocents];

describe("the rules of the house", () => {
  let found: Record<string, string[]> = {};

  beforeAll(async () => {
    found = await lintPlanted(Object.fromEntries(plants.map(({ path, text }) => [path, text])));
  });

  it.each(directions)("do not let $what", ({ path, rules }) => {
    expect(found[path]).toEqual(rules);
  });

  it.each([...habits, ...others])("do not allow $what", ({ path, rules }) => {
    expect(found[path]).toEqual(rules);
  });

  it.each(innocents)("have nothing against it when $what", ({ path, rules }) => {
    expect(found[path]).toEqual(rules);
  });
});
