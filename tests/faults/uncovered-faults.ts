/** Entries of the two tables that no turn of this catalogue plays, and where they are proved, or why they are not. */
export const uncoveredFaults: Readonly<Record<string, string>> = {
  "P-07": "Needs a gateway short of descriptors: packages/runtime/src/process/gateway-limits.test.ts starts one.",
  "P-08":
    "The limit on processes does not bind root, who runs these tests; the code is mapped in start-failure.test.ts.",
  "P-09": "Lack of memory cannot be made without harm to the machine; the code is mapped in start-failure.test.ts.",
  "P-14": "Decided before any turn: sweep-leftovers.test.ts, and tests/turns/start-up.test.ts with a whole Caret.",
  "P-17": "No turn begins at all: tests/turns/start-up.test.ts.",
  "O-44":
    "A process the kernel does not let go needs a stalled file system; create-spawner.test.ts gives one up in time.",
  "O-45": "Caret sets no limits on files or cores; that belongs to the sandbox, which is not built yet.",
  "O-52": "A race has no single end: tests/turns/cancel-races.test.ts plays many interleavings.",
};
