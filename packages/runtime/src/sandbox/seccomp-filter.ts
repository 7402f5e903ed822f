import { endianness } from "node:os";
import { deniedCalls, judgedCalls, missingCalls, modeCalls, openCalls } from "./denied-calls.ts";

/** `AUDIT_ARCH_*` of the kernel, and which column of the tables is the machine's. */
const machines: Partial<Record<NodeJS.Architecture, { readonly audit: number; readonly column: 0 | 1 }>> = {
  x64: { audit: 0xc000003e, column: 0 },
  arm64: { audit: 0xc00000b7, column: 1 },
};

/** Classic BPF, as the kernel reads it: load a word of `struct seccomp_data`, jump, return. */
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

const NUMBER_AT = 0;
const ARCH_AT = 4;
/** The lower half of an argument, on a machine that stores the lower half first. */
const argumentAt = (index: number): number => 16 + 8 * index;
const FIRST_AT = argumentAt(0);
const SECOND_AT = argumentAt(1);

const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const EPERM = ERRNO | 1;
const ENOSYS = ERRNO | 38;
const EAFNOSUPPORT = ERRNO | 97;

/** Calls of the x32 interface have numbers of their own above this one. */
const X32 = 0x40000000;

/** Every `CLONE_NEW*` flag: a thread or process may be made, a namespace may not. */
const NEW_NAMESPACE = 0x7e020000;

/** Unix, IPv4, IPv6, and netlink, by which the C library lists interfaces. Not vsock, packets, Bluetooth or the rest. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

/** Typing into a terminal (TIOCSTI), and pasting into a console (TIOCLINUX). */
const TERMINAL_INPUT = [0x5412, 0x541c];

/** The bits by which a program runs as its owner or group. */
const SET_ID = 0o6000;
/** Flags by which `open` makes a file: O_CREAT, and what is O_TMPFILE's own. */
const MAKES_FILE = 0o100 | 0o20000000;

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

/** The program for `bwrap --seccomp`; undefined for a machine whose calls we do not know. */
export function seccompFilter(arch: NodeJS.Architecture): Buffer | undefined {
  const machine = machines[arch];
  if (machine === undefined || endianness() !== "LE") return undefined;
  const { audit, column } = machine;
  const returning = (calls: typeof deniedCalls, answer: number): Instruction[] =>
    Object.values(calls).flatMap((numbers) => {
      const number = numbers[column];
      return number === undefined ? [] : when(number, [[RETURN, 0, 0, answer]]);
    });
  const judged = (call: keyof typeof judgedCalls, body: readonly Instruction[]): Instruction[] =>
    when(judgedCalls[call][column], body);
  const modes = (calls: typeof modeCalls, before: (argument: number) => Instruction[]): Instruction[] =>
    calls.flatMap(({ numbers, argument }) => {
      const number = numbers[column];
      return number === undefined ? [] : when(number, [...before(argument), ...withoutSetId(argument)]);
    });
  const families: Instruction[] = [
    [LOAD, 0, 0, FIRST_AT],
    ...SOCKET_FAMILIES.flatMap((family) => when(family, [[RETURN, 0, 0, ALLOW]])),
    [RETURN, 0, 0, EAFNOSUPPORT],
  ];
  return encode([
    [LOAD, 0, 0, ARCH_AT],
    // Another machine's calls, such as the 32-bit ones of x86, have other numbers: all of them are refused.
    [JUMP_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, EPERM],
    [LOAD, 0, 0, NUMBER_AT],
    [JUMP_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, EPERM],
    ...returning(deniedCalls, EPERM),
    ...returning(missingCalls, ENOSYS),
    ...judged("clone", [
      [LOAD, 0, 0, FIRST_AT],
      [JUMP_ANY_BIT, 0, 1, NEW_NAMESPACE],
      [RETURN, 0, 0, EPERM],
      [RETURN, 0, 0, ALLOW],
    ]),
    ...modes(modeCalls, () => []),
    ...modes(openCalls, (argument) => [
      [LOAD, 0, 0, argumentAt(argument - 1)],
      [JUMP_ANY_BIT, 1, 0, MAKES_FILE],
      [RETURN, 0, 0, ALLOW],
    ]),
    ...judged("socket", families),
    ...judged("socketpair", families),
    ...judged("ioctl", [
      [LOAD, 0, 0, SECOND_AT],
      ...TERMINAL_INPUT.flatMap((request) => when(request, [[RETURN, 0, 0, EPERM]])),
      [RETURN, 0, 0, ALLOW],
    ]),
    [RETURN, 0, 0, ALLOW],
  ]);
}

function withoutSetId(argument: number): Instruction[] {
  return [
    [LOAD, 0, 0, argumentAt(argument)],
    [JUMP_ANY_BIT, 0, 1, SET_ID],
    [RETURN, 0, 0, EPERM],
    [RETURN, 0, 0, ALLOW],
  ];
}

/** Run `body`, which returns, when the loaded word is `value`; else go on behind it. */
function when(value: number, body: readonly Instruction[]): Instruction[] {
  return [[JUMP_EQUAL, 0, body.length, value], ...body];
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, whenTrue, whenFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
