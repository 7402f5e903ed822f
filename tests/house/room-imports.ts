import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { root } from "./lint-planted.ts";
import { sourceFiles } from "./turn-way.ts";

/** Where the order is written down. */
const ORDER_FILE = "tests/house/room-order.ts";

/** Imports and re-exports of values or types, imports on demand, and the files that a worker starts from. */
const IMPORTS = /(?:\bfrom|\bimport|\bnew URL)\s*\(?\s*(?:\/\*[^*]*\*\/\s*)?["']([^"'\n]+)["']/g;

type RoomOrder = Readonly<Record<string, readonly string[]>>;

interface Place {
  readonly ofPackage: string;
  readonly room: string;
}

/** The source files of all packages with their text, by path. */
export function readSources(): ReadonlyMap<string, string> {
  return new Map(sourceFiles().map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

/** What breaks the order of the rooms: a sentence for each import that goes up, each room that is not listed, and each that is gone. */
export function roomFaults(order: RoomOrder, sources: ReadonlyMap<string, string>): readonly string[] {
  const upwards = [...sources].flatMap(([path, text]) =>
    importsOf(path, text)
      .filter((name) => sources.has(name))
      .flatMap((name) => upwardFault(order, path, name) ?? []),
  );
  return [...listFaults(order, [...sources.keys()].map(placeOf)), ...upwards];
}

/** The files of ours that a file imports. Its own package by name is the index, which is above every room. */
function importsOf(path: string, text: string): readonly string[] {
  const { ofPackage } = placeOf(path);
  return [...text.matchAll(IMPORTS)].flatMap(([, name = ""]) => {
    if (name === `@caret/${ofPackage}` || name.startsWith(`@caret/${ofPackage}/`))
      return [`packages/${ofPackage}/src/index.ts`];
    return name.startsWith(".") ? [normalize(join(dirname(path), name.replace(/\?.*$/, "")))] : [];
  });
}

function upwardFault(order: RoomOrder, path: string, imported: string): string | undefined {
  const [from, to] = [placeOf(path), placeOf(imported)];
  const rooms = order[from.ofPackage] ?? [];
  if (from.ofPackage !== to.ofPackage || rooms.indexOf(to.room) <= rooms.indexOf(from.room)) return undefined;
  return [
    `${path} imports ${imported}: the room "${to.room}" is above "${from.room}".`,
    `Move what is imported down, into "${from.room}" or a room below it, or take it as an option.`,
    `The order is in ${ORDER_FILE}.`,
  ].join(" ");
}

function listFaults(order: RoomOrder, places: readonly Place[]): readonly string[] {
  const found = new Set(places.map(({ ofPackage, room }) => `${ofPackage}: ${room}`));
  const listed = Object.entries(order).flatMap(([ofPackage, rooms]) => rooms.map((room) => `${ofPackage}: ${room}`));
  const twice = listed.filter((name, index) => listed.indexOf(name) !== index);
  return [
    ...[...found]
      .filter((name) => !listed.includes(name))
      .map((name) => `${name} is a room without a place: put it into ${ORDER_FILE}, above all rooms that it imports.`),
    ...listed.filter((name) => !found.has(name)).map((name) => `${name} is gone: remove it from ${ORDER_FILE}.`),
    ...twice.map((name) => `${name} has two places: remove one from ${ORDER_FILE}.`),
  ];
}

/** The room of a source file. Each lane has one of its own. */
function placeOf(path: string): Place {
  const [, ofPackage = "", , ...below] = path.split("/");
  const folders = below.slice(0, -1);
  const room = folders.slice(0, folders[0] === "lanes" ? 2 : 1).join("/");
  return { ofPackage, room: room === "" ? "." : room };
}
