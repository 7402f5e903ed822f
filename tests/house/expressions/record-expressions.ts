/**
 * Loads source files, and prints every regular expression that their loading composes: `new RegExp` with what the parts
 * are by then. A process of its own, because a module that is loaded already composes nothing.
 */
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";

const [directory = "", ...files] = process.argv.slice(2);
const prefix = pathToFileURL(`${directory}${sep}`).href;
const recorded: { source: string; flags: string; at: string }[] = [];
const Native = RegExp;

function record(given: ConstructorParameters<typeof RegExp>): void {
  const frame = new Error("where").stack
    ?.split("\n")
    .find((line) => line.includes(prefix) && !line.includes(import.meta.url));
  const place = frame?.slice(frame.indexOf(prefix) + prefix.length).replace(/:\d+\)?$/, "");
  const { source, flags } = new Native(...given);
  // What others compose is theirs.
  if (place?.startsWith("node_modules/") === false) recorded.push({ source, flags, at: place });
}

globalThis.RegExp = new Proxy(Native, {
  construct: (target, given, self) => {
    record(given as ConstructorParameters<typeof RegExp>);
    return Reflect.construct(target, given, self) as RegExp;
  },
  apply: (target, self, given) => {
    record(given as ConstructorParameters<typeof RegExp>);
    return Reflect.apply(target, self, given) as RegExp;
  },
});

for (const file of files) await import(pathToFileURL(join(directory, file)).href);
process.stdout.write(JSON.stringify(recorded));
